"""Policies that ask a language model: chat policy, memory and model backends."""

if __name__ != "coordgym.agents":
    raise ImportError("import coordgym.agents, not agents")
