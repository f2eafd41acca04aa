"""Rule-based policies for the computation tasks: every agent acts on its own view alone."""
