"""Environments in which the information is split over the agents: compute, graph, pairs."""

if __name__ != "coordgym.silo_env":
    raise ImportError("import coordgym.silo_env, not silo_env")
