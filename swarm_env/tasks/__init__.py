"""The swarm's tasks, one file each: what they draw, their rules after the physics, their words."""
