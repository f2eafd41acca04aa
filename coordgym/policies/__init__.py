"""Who plays: the protocol of a policy, policies by name, different ones for different agents."""
