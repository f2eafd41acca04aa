"""Verdicts: reference cases, brute-force definitions on random graphs, byzantine agents."""

import itertools
from typing import Any

import networkx
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from coordgym.errors import ConfigError, InstanceError
from coordgym.silo_env.graph import TASKS, parallel_env, score, verify

CASES = cases("graph_scoring")
NAMES = ("Ada", "Bao", "Cleo", "Dov", "Esi", "Fen")


def build(nodes: Any, edges: Any) -> networkx.Graph:
    graph = networkx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    return graph


def test_all_cases_are_there() -> None:
    assert len(CASES) >= 141
    assert {case["task"] for case in CASES} == set(TASKS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_reference_case(case: dict[str, Any]) -> None:
    verdict = score(case["task"], build(case["nodes"], case["edges"]), case["answers"])
    assert verdict.success == bool(case["strict"])
    assert 0 <= verdict.score <= 1
    if case["graded"] is not None:
        assert verdict.score == pytest.approx(case["graded"], abs=1e-12)


def test_cases_where_the_published_functions_raise() -> None:
    three = build(NAMES[:3], [])
    star = build(NAMES[:4], [("Ada", "Bao"), ("Ada", "Cleo"), ("Ada", "Dov")])
    assert score("coloring", three, dict.fromkeys(NAMES[:3], "Group 1")).score == 1.0
    assert score("vertex_cover", three, dict.fromkeys(NAMES[:3], "No")).score == 1.0
    assert score("vertex_cover", star, dict.fromkeys(NAMES[:4], "No")).score == 0.0


# --- brute force -------------------------------------------------------------------------


@st.composite
def graphs(draw: st.DrawFn) -> networkx.Graph:
    nodes = NAMES[: draw(st.integers(1, len(NAMES)))]
    pairs = list(itertools.combinations(nodes, 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return build(nodes, edges)


def answers_for(graph: networkx.Graph, options: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({name: st.sampled_from(options) for name in graph.nodes})


@given(st.data())
def test_coloring_by_definition(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    delta = max(degree for _, degree in graph.degree)
    valid = {f"Group {i + 1}" for i in range(delta + 1)}
    answers = data.draw(answers_for(graph, (*sorted(valid), *sorted(valid), "Group 9", None)))
    all_valid = set(answers.values()) <= valid
    proper = [answers[a] != answers[b] for a, b in graph.edges]
    verdict = score("coloring", graph, answers)
    assert verdict.success == (all_valid and all(proper))
    share = sum(proper) / len(proper) if proper else 1.0
    assert verdict.score == pytest.approx(share if all_valid else 0.0)


@given(st.data())
def test_matching_by_definition(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    answers = data.draw(answers_for(graph, (*graph.nodes, "None", "None", None)))
    pairs = {(a, b) for a, b in graph.edges if answers[a] == b and answers[b] == a}
    paired = {name for pair in pairs for name in pair}
    coherent = all(answers[name] == "None" for name in graph.nodes if name not in paired)
    verdict = score("matching", graph, answers)
    assert verdict.success == (coherent and networkx.is_maximal_matching(graph, pairs))
    if verdict.success:
        assert verdict.score == 1.0
    else:
        assert verdict.score < 1.0


@given(st.data())
def test_vertex_cover_by_definition(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    answers = data.draw(answers_for(graph, ("Yes", "Yes", "No", "No", None)))
    members = {name for name, answer in answers.items() if answer == "Yes"}

    def covers(chosen: set[str]) -> bool:
        return all(a in chosen or b in chosen for a, b in graph.edges)

    minimal = covers(members) and not any(covers(members - {name}) for name in members)
    verdict = score("vertex_cover", graph, answers)
    assert verdict.success == (minimal and None not in answers.values())
    needed = sum(not covers(members - {name}) for name in members)
    covered = sum(a in members or b in members for a, b in graph.edges)
    coverage = covered / graph.number_of_edges() if graph.number_of_edges() else 1.0
    use = needed / len(members) if members else 1.0
    assert verdict.score == pytest.approx(coverage * use)


@given(st.data())
def test_leader_and_consensus_by_definition(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    votes = data.draw(answers_for(graph, ("Yes", "No", "No", None)))
    expected = sorted(map(str, votes.values())) == ["No"] * (len(votes) - 1) + ["Yes"]
    assert score("leader_election", graph, votes).success == expected
    bits = data.draw(answers_for(graph, ("0", "1", None)))
    inputs = data.draw(answers_for(graph, ("0", "1")))
    agreed = len(set(bits.values())) == 1 and None not in bits.values()
    assert score("consensus", graph, bits).success == agreed
    with_inputs = score("consensus", graph, bits, inputs=inputs)
    assert with_inputs.success == (agreed and set(bits.values()) <= set(inputs.values()))


@given(st.data())
def test_reference_solutions_succeed(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    neighbours = {name: tuple(graph.adj[name]) for name in graph.nodes}
    for name, task in TASKS.items():
        verdict = score(name, graph, task.solve(neighbours, None))
        assert verdict.success
        assert verdict.score == 1.0


@given(st.data())
def test_verdict_ignores_what_byzantine_agents_answer(data: st.DataObject) -> None:
    graph = data.draw(graphs())
    task = data.draw(st.sampled_from(sorted(TASKS)))
    byzantine = data.draw(st.sets(st.sampled_from(list(graph.nodes)), max_size=len(graph) - 1))
    options = ("Yes", "No", "0", "1", "Group 1", "Group 2", "None", *graph.nodes, None)
    answers = data.draw(answers_for(graph, options))
    others = {name: data.draw(st.sampled_from(options)) for name in byzantine}
    one = score(task, graph, answers, byzantine=byzantine)
    two = score(task, graph, {**answers, **others}, byzantine=byzantine)
    assert one == two


def test_honest_agents_are_still_judged_beside_byzantine_ones() -> None:
    path = build(NAMES[:4], [("Ada", "Bao"), ("Bao", "Cleo"), ("Cleo", "Dov")])
    clash = {"Ada": "Group 1", "Bao": "Group 1", "Cleo": "Group 2", "Dov": None}
    assert not score("coloring", path, clash, byzantine={"Dov"}).success
    assert score("coloring", path, {**clash, "Bao": "Group 3"}, byzantine={"Dov"}).success
    pairs = {"Ada": "Bao", "Bao": "Ada", "Cleo": "Dov", "Dov": "None"}
    assert not score("matching", path, pairs).success
    assert score("matching", path, pairs, byzantine={"Dov"}).success
    assert not score("matching", path, {**pairs, "Bao": "None"}, byzantine={"Dov"}).success
    alone = {"Ada": "Bao", "Bao": "Ada", "Cleo": "None", "Dov": "None"}
    assert not score("matching", path, alone).success
    assert score("matching", path, alone, byzantine={"Dov"}).success
    open_end = {"Ada": "Yes", "Bao": "No", "Cleo": "No", "Dov": "No"}
    assert not score("vertex_cover", path, open_end).success
    assert score("vertex_cover", path, open_end, byzantine={"Cleo"}).success
    bits = {"Ada": "0", "Bao": "0", "Cleo": "1", "Dov": "0"}
    assert score("consensus", path, bits, byzantine={"Cleo"}).success
    leaders = {"Ada": "Yes", "Bao": "No", "Cleo": "No", "Dov": "Yes"}
    assert score("leader_election", path, leaders, byzantine={"Dov"}).success
    assert not score("leader_election", path, leaders, byzantine={"Dov", "Ada"}).success


def test_wrong_use_names_the_value() -> None:
    graph = build(NAMES[:2], [("Ada", "Bao")])
    with pytest.raises(ConfigError, match="coloring"):
        score("colouring", graph, {})
    with pytest.raises(ConfigError, match="'Zed'"):
        score("coloring", graph, {"Zed": "Group 1"})
    with pytest.raises(ConfigError, match="inputs must have all 2"):
        score("consensus", graph, {}, inputs={"Ada": "0"})
    with pytest.raises(ConfigError, match="inputs must be '0' or '1', got 1"):
        score("consensus", graph, {}, inputs={"Ada": "0", "Bao": 1})  # type: ignore[dict-item]
    with pytest.raises(ConfigError, match="not byzantine"):
        score("consensus", graph, {}, byzantine=NAMES[:2])


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (networkx.DiGraph([("Ada", "Bao")]), "undirected"),
        (networkx.MultiGraph([("Ada", "Bao")]), "parallel edges"),
        (networkx.Graph([("Ada", "Ada"), ("Ada", "Bao")]), "own neighbour, but 'Ada' is"),
        (networkx.path_graph(3), "names"),
    ],
)
def test_only_simple_graphs_of_names_are_scored(graph: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        score("matching", graph, {})


@pytest.mark.parametrize("task", sorted(TASKS))
def test_verify_accepts_the_solution_of_an_instance(task: str) -> None:
    env = parallel_env(task, n_agents=9, topology="ba")
    env.reset(seed=4)
    solution = dict(zip(env.instance["names"], env.instance["solution"], strict=True))
    assert verify(env.instance, solution).success
    assert not verify(env.instance, {}).success
    with pytest.raises(ConfigError, match="'Zed'"):
        verify(env.instance, {"Zed": "0"})
    with pytest.raises(InstanceError, match="'rounds'"):
        verify({key: env.instance[key] for key in ("task", "names", "edges")}, {})
