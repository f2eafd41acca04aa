"""What passes between agents: the three protocols, their database, who reaches whom."""
