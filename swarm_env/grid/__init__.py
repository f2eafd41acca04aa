"""The world in which agents move: state format, bodies, physics, starts; it knows no task."""
