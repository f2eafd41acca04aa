"""One episode: playing it, recording it, playing it again; one seat as an environment."""
