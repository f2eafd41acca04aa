"""Networks: random or given ones, the names of their agents, rounds, the benchmark's sets."""
