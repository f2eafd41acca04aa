"""Rule-based policies for the graph family: decentralised, each agent on its own view."""
