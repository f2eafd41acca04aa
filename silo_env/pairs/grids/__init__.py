"""The vocabulary of grid tasks: cells, masks, drawings, coordinate conventions, shortest walks."""
