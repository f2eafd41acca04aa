"""Many episodes: plans, their execution, results on disk, reports."""
