"""Where and why a dialogue failed: stages, the cascade, answers that were not extracted."""
