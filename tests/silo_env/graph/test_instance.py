"""Instances that are given: played again, or refused."""

import copy
import json
from typing import Any

import pytest
from path_of_four import AGENT

from coordgym.errors import InstanceError
from coordgym.silo_env.graph import parallel_env


@pytest.mark.parametrize("text", ["full", "compact"])
def test_an_instance_given_back_makes_the_same_episode(text: str) -> None:
    env = parallel_env("consensus", n_agents=9, topology="ba", inputs=True, byzantine=1, text=text)
    first = env.reset(seed=8)
    instance = copy.deepcopy(env.instance)
    json.dumps(instance)
    again = env.reset(seed=9, options={"instance": instance})
    assert env.instance == instance
    assert first == again


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"edges": [[0, 4]]}, "edge must be"),
        ({"names": ["Ada", "Bao", "Cleo", "Ada"]}, "'Ada' twice"),
        ({"names": "Ada"}, "names must be a list"),
        ({"names": [*AGENT, "Esi"]}, "the instance has 5 agents, the environment 4"),
        ({"edges": [[0, 0]]}, "own neighbour"),
        ({"edges": [[0, 1, 2]]}, "edge must be"),
        ({"edges": [[0, True]]}, "edge must be"),
        ({"edges": []}, "connected"),
        ({"rounds": 0}, "rounds must be"),
        ({"task": "matching"}, "for 'matching', not for 'coloring'"),
        ({"inputs": ["0", "0", "0", "0"]}, "inputs belong to consensus"),
        ({"byzantine": [4]}, "indices 0..3"),
        ({"byzantine": [0, 1, 2, 3]}, "at least one honest"),
        ({"topology": "torus"}, "topology"),
        ({"edge": []}, "did you mean 'edges'"),
    ],
)
def test_bad_instances_are_refused(change: dict[str, Any], message: str) -> None:
    env = parallel_env("coloring", n_agents=4)
    instance = {"names": list(AGENT), "edges": [[0, 1], [1, 2], [2, 3]]}
    env.reset(seed=0, options={"instance": instance})
    with pytest.raises(InstanceError, match=message):
        env.reset(seed=0, options={"instance": {**instance, **change}})
