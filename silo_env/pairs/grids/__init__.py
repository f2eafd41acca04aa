"""The vocabulary of grid tasks: cells, masks, drawings, conventions of coordinates, shortest walks."""
