"""What ``measure_baselines.py`` measures: one module per family, each with its tables."""
