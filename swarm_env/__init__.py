"""Environments in which agents move on a 2D grid with force physics."""

if __name__ != "coordgym.swarm_env":
    raise ImportError("import coordgym.swarm_env, not swarm_env")
