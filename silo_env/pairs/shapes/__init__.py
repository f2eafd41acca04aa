"""What several tasks are made of: dealt facts, networks, clues, walks on boards."""
