"""Rule-based pairs: one that shares its views through the text channel, one that does not."""
