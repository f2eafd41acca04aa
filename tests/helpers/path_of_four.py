"""Four agents in a row, and words for what they do: most rules of networks show on them."""

from typing import Any

import networkx

from coordgym.silo_env.graph import GraphEnv, parallel_env

PATH = networkx.Graph([("Ada", "Bao"), ("Bao", "Cleo"), ("Cleo", "Dov")])
AGENT = {"Ada": "agent_0", "Bao": "agent_1", "Cleo": "agent_2", "Dov": "agent_3"}


def path_env(**kwargs: Any) -> GraphEnv:
    env = parallel_env(graph=PATH, **{"rounds": 2, **kwargs})
    env.reset(seed=0)
    return env


def step(env: GraphEnv, default: str = "{}", **texts: str) -> Any:
    """Step with texts by name; all others send nothing."""
    actions = dict.fromkeys(env.agents, default)
    actions.update({AGENT[name]: text for name, text in texts.items()})
    return env.step(actions)


def answer(option: str) -> str:
    return f"### Final Answer ###\n{option}"


def finish(env: GraphEnv, *options: str) -> Any:
    """Give the final answers of all four agents."""
    texts = dict(zip(AGENT, map(answer, options), strict=True))
    return step(env, **texts)


GOOD = ("Group 1", "Group 2", "Group 1", "Group 3")
CLASH = ("Group 1", "Group 1", "Group 2", "Group 3")
