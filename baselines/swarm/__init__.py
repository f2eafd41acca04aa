"""Rule-based policies for the swarm family: decentralised, each agent on its own view."""
