"""Pictures of networks: answers in colours, contradictions in red."""

import itertools

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from path_of_four import GOOD, finish, path_env, step

from coordgym.silo_env.graph import TASKS, parallel_env, score

NAMES = ("Ada", "Bao", "Cleo", "Dov", "Esi")
PATH = networkx.path_graph(NAMES[:4])
RED = (220, 0, 0)


def red_pixels(task: str, *options: str, **kwargs: object) -> int:
    env = parallel_env(task, graph=PATH, rounds=1, render_mode="rgb_array", **kwargs)
    env.reset(seed=0)
    env.step(dict.fromkeys(env.agents, "{}"))
    assert not (env.render() == RED).all(axis=2).any()
    texts = (f"### Final Answer ###\n{option}" for option in options)
    env.step(dict(zip(env.agents, texts, strict=True)))
    return int(np.count_nonzero((env.render() == RED).all(axis=2)))


@pytest.mark.parametrize(
    ("task", "good", "bad"),
    [
        ("coloring", "Group 1/Group 2/Group 1/Group 2", "Group 1/Group 1/Group 2/Group 3"),
        ("consensus", "1/1/1/1", "1/1/1/0"),
        ("leader_election", "No/Yes/No/No", "No/Yes/Yes/No"),
        ("matching", "Bao/Ada/Dov/Cleo", "Bao/Cleo/Dov/Cleo"),
        ("vertex_cover", "No/Yes/No/Yes", "No/No/Yes/No"),
    ],
)
def test_contradictions_are_red(task: str, good: str, bad: str) -> None:
    assert red_pixels(task, *good.split("/")) == 0
    assert red_pixels(task, *bad.split("/")) > 100


def test_byzantine_agents_are_drawn_like_the_others() -> None:
    assert red_pixels("consensus", *"1110", byzantine=3) == red_pixels("consensus", *"1110")


def test_an_agent_without_an_answer_contradicts_nobody() -> None:
    assert red_pixels("consensus", "1", "none", "1", "1", retries=0) == 0


@given(st.data())
def test_contradictions_are_the_conflicts_that_the_verdict_counts(data: st.DataObject) -> None:
    pairs = list(itertools.combinations(NAMES, 2))
    graph = networkx.Graph(data.draw(st.lists(st.sampled_from(pairs), unique=True)))
    graph.add_nodes_from(NAMES)
    neighbours = {name: tuple(graph.adj[name]) for name in graph.nodes}
    max_degree = max(map(len, neighbours.values()))
    for name, task in TASKS.items():
        options = (task.options(around, max_degree) for around in neighbours.values())
        drawn = (data.draw(st.sampled_from(choice)) for choice in options)
        answers = dict(zip(neighbours, drawn, strict=True))
        clashes = [edge for edge in graph.edges if task.clash(*edge, answers)]
        assert clashes == [edge for edge in graph.edges if task.clash(*edge[::-1], answers)]
        verdict = score(name, graph, answers)
        if name == "matching":
            assert bool(clashes) == (verdict.conflicts > 0)
        elif name != "leader_election":
            assert len(clashes) == verdict.conflicts
        elif verdict.conflicts == 0:
            assert not clashes


def test_pictures_change_with_messages_and_answers() -> None:
    env = path_env(render_mode="rgb_array")
    pictures = [env.render()]
    step(env, Ada='{"Bao": "hello there"}')
    pictures.append(env.render())
    step(env)
    pictures.append(env.render())
    finish(env, *GOOD)
    pictures.append(env.render())
    assert {picture.shape for picture in pictures} == {(480, 480, 3)}
    assert {picture.dtype.name for picture in pictures} == {"uint8"}
    assert (pictures[0] == pictures[2]).all()
    assert len({picture.tobytes() for picture in pictures}) == 3


@pytest.mark.parametrize("n_agents", [4, 60, 250])
def test_pictures_of_all_sizes(n_agents: int) -> None:
    env = parallel_env(n_agents=n_agents, topology="dt", render_mode="rgb_array", rounds=1)
    env.reset(seed=0)
    assert env.render().shape == (480, 480, 3)
