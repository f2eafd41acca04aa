"""The tasks, one file each: generator, views, solver, grader and texts."""
