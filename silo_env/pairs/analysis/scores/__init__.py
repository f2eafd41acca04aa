"""What the episodes of a run are worth: the tax, the games behind it, the clauses."""
