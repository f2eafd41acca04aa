"""The shuffle tasks: what their generators promise, solutions by other means, refused input."""

import json
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shards import draw, items, solve

import coordgym
from coordgym.episodes.rollout import rollout
from coordgym.errors import ConfigError, InstanceError
from coordgym.policies.named import make_policy
from coordgym.silo_env.compute import TASKS, parallel_env, table

SHUFFLE = [entry.paper_id for entry in table.TASKS if entry.level is table.SHUFFLE]
SIZES = (2, 5, 10, 100)
PROTOCOLS = ("p2p", "broadcast", "shared_files")
FEW = settings(max_examples=30)


def vectors(instance, kind):
    return {key: value for shard in instance.shards for key, value in shard[kind].items()}


# --- generators --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "count", "high"), [("III-21", 20, 1000), ("III-22", 25, 1000), ("III-26", 30, 1499)]
)
def test_integers_fill_their_range(task, count, high):
    instance = draw(task, 100)
    assert {len(shard) for shard in instance.shards} == {count}
    assert min(items(instance)) in range(5)
    assert high - 5 <= max(items(instance)) <= high


@pytest.mark.parametrize("n_agents", SIZES)
def test_component_graphs_have_no_loops(n_agents):
    instance = draw("III-23", n_agents)
    edges = items(instance)
    assert instance.extra == {"num_nodes": 10 * n_agents}
    assert all(a != b and 0 <= min(a, b) <= max(a, b) < 10 * n_agents for a, b in edges)
    assert 17 * n_agents <= len(edges) <= 20 * n_agents
    sizes = [len(shard) for shard in instance.shards[:-1]]
    assert set(sizes) == {len(edges) // n_agents}


@pytest.mark.parametrize("task", ["III-24", "III-28"])
@pytest.mark.parametrize("n_agents", SIZES)
def test_graphs_have_neither_loops_nor_repeats(task, n_agents):
    instance = draw(task, n_agents)
    edges = items(instance)
    assert instance.extra["num_nodes"] == 8 * n_agents
    assert {len(shard) for shard in instance.shards} == {16}
    assert all(a != b and 0 <= min(a, b) <= max(a, b) < 8 * n_agents for a, b in edges)
    same = frozenset if task == "III-24" else tuple
    assert len({same(edge) for edge in edges}) == 16 * n_agents


def test_points_and_centroids_have_two_decimals():
    instance = draw("III-25", 10)
    centroids = instance.extra["initial_centroids"]
    assert {len(shard) for shard in instance.shards} == {20}
    assert len(centroids) == instance.extra["k"] == 3
    for point in [*items(instance), *centroids]:
        assert all(0 <= c < 100 and round(c, 2) == c for c in point)
    longer = draw("III-25", 10, decimals=14)
    assert any(round(c, 9) != c for point in items(longer) for c in point)


@pytest.mark.parametrize("n_agents", SIZES)
def test_users_and_items_are_pooled_and_dealt_without_a_tie_at_the_cut(n_agents):
    mixed = 0
    for seed in range(8):
        instance = draw("III-27", n_agents, seed)
        users, goods = vectors(instance, "users"), vectors(instance, "items")
        assert set(users) == set(goods) == {str(i) for i in range(3 * n_agents)}
        assert {len(s["users"]) + len(s["items"]) for s in instance.shards} == {6}
        assert all(len(v) == 5 and max(v) < 1 for v in [*users.values(), *goods.values()])
        mixed += any(len(shard["users"]) != 3 for shard in instance.shards)
        hundredths = [np.rint(100 * np.array(list(v.values()))) for v in (users, goods)]
        scores = np.sort((hundredths[0] @ hundredths[1].T).ravel())[::-1]
        assert scores[2] > scores[3]
        assert [row[2] for row in instance.answer] == list(scores[:3] / 10_000)
    assert mixed


@pytest.mark.parametrize("n_agents", SIZES)
def test_one_agent_holds_all_heavy_tasks(n_agents):
    instance = draw("III-29", n_agents)
    jobs = items(instance)
    assert sorted(job["id"] for job in jobs) == list(range(20 * n_agents))
    assert [job["id"] for job in instance.shards[0]] == list(range(0, 20 * n_agents, 10))
    assert all(50 <= job["duration"] <= 100 for job in instance.shards[0])
    assert all(1 <= job["duration"] <= 10 for shard in instance.shards[1:] for job in shard)


@pytest.mark.parametrize("b", ["full", "sharded"])
def test_matrices_are_held_by_rows_and_columns(b):
    instance = draw("III-30", 7, b=b)
    for agent, shard in enumerate(instance.shards):
        assert shard["A_row_indices"] == [agent]
        if b == "full":
            assert shard["B_matrix"] == instance.shards[0]["B_matrix"]
        else:
            assert shard["B_column_indices"] == [agent]
    a = np.array([shard["A_rows"][0] for shard in instance.shards])
    if b == "full":
        right = np.array(instance.shards[0]["B_matrix"])
    else:
        right = np.array([shard["B_columns"][0] for shard in instance.shards]).T
    assert {1, 10} <= set(a.ravel().tolist()) <= set(range(1, 11))
    assert instance.answer == (a @ right).tolist()


# --- solutions by other means --------------------------------------------------------------------

NODES = st.integers(0, 11)
EDGES = st.lists(st.tuples(NODES, NODES).map(list), max_size=20)


@FEW
@given(EDGES, st.integers(0, 20))
def test_components_and_hops_by_networkx(edges, border):
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(12))
    shards = [edges[:border], edges[border:]]
    assert solve("III-23", *shards, num_nodes=12) == nx.number_connected_components(graph)
    hops = nx.single_source_shortest_path_length(graph, 4)
    expected = {str(node): hops.get(node, -1) for node in range(12)}
    assert solve("III-24", *shards, num_nodes=12, source=4) == expected


@FEW
@given(st.sets(st.tuples(NODES, NODES), max_size=40))
def test_ranks_by_matrices(edges):
    matrix = np.zeros((12, 12))
    for a, b in edges:
        matrix[b, a] = 1
    matrix /= np.maximum(matrix.sum(axis=0), 1)  # columns of dangling nodes stay empty
    expected = 0.15 / 12 + 0.85 * matrix @ np.full(12, 1 / 12)
    listed = [list(edge) for edge in sorted(edges)]
    ranks = solve("III-28", listed[:5], listed[5:], num_nodes=12, damping=0.85, decimals=6)
    assert list(ranks) == [str(node) for node in range(12)]
    assert np.allclose(list(ranks.values()), expected, atol=6e-7)


COORDINATES = st.integers(-50, 50).map(lambda tenths: tenths / 10)
POINTS = st.lists(st.tuples(COORDINATES, COORDINATES).map(list), max_size=30)


@FEW
@given(POINTS, st.lists(st.tuples(COORDINATES, COORDINATES).map(list), min_size=1, max_size=4))
def test_means_of_clusters_in_tenths(points, centroids):
    members = [[] for _ in centroids]
    for x, y in points:
        away = [round((10 * x - 10 * a) ** 2 + (10 * y - 10 * b) ** 2) for a, b in centroids]
        members[away.index(min(away))].append((x, y))
    extra = {"k": len(centroids), "decimals": 2, "initial_centroids": centroids}
    moved = solve("III-25", points[:7], points[7:], **extra)
    for place, cluster, centroid in zip(moved, members, centroids, strict=True):
        expected = np.mean(cluster, axis=0) if cluster else centroid
        assert np.allclose(place, expected, atol=0.0051)


def test_a_point_between_two_centroids_goes_to_the_first_also_where_floats_round():
    centroids = [[0.1, 0.0], [0.5, 0.0]]  # 0.3 - 0.1 > 0.5 - 0.3 for floats
    assert 0.3 - 0.1 != 0.5 - 0.3
    for order in (centroids, centroids[::-1]):
        moved = solve("III-25", [[0.3, 9.0]], k=2, decimals=2, initial_centroids=order)
        assert moved == [[0.3, 9.0], order[1]]


def test_heavy_and_light_tasks_by_hand():
    jobs = [{"id": i, "duration": d} for i, d in enumerate([2, 3, 7, 7, 2])]
    answer = solve("III-29", jobs[3:], [], jobs[:3], n_servers=2, decimals=2)
    assert answer == {"variance": 0.25, "max_load": 11, "min_load": 10}
    assert Counter(map(type, answer.values())) == {float: 1, int: 2}


@pytest.mark.parametrize("scale", [1.0, 1e-9])
def test_equal_scores_come_by_user_and_item_also_with_many_digits(scale):
    users = {"10": [0.1 * scale, 0.2], "9": [0.2, 0.1 * scale]}
    goods = {"2": [1.0, 1.0], "11": [0.0, 0.0], "3": [1.0, 1.0]}
    shards = [{"users": users, "items": {}}, {"users": {}, "items": goods}]
    rows = solve("III-27", *shards, k=5, decimals=4)
    assert [row[:2] for row in rows] == [[9, 2], [9, 3], [10, 2], [10, 3], [9, 11]]
    assert [row[2] for row in rows] == [round(0.2 + 0.1 * scale, 4)] * 4 + [0.0]


def test_products_of_huge_entries_are_exact():
    big = 10**17 + 1
    shard = {"type": "rows_and_full_B", "A_row_indices": [1, 0], "B_matrix": [[big, 0], [1, big]]}
    rows = {"A_rows": [[0, big], [big, 1]]}
    assert solve("III-30", shard | rows, dim=2) == [[big**2 + 1, big], [big, big**2]]


@pytest.mark.parametrize("task", ["III-27", "III-30"])
@pytest.mark.parametrize("b", ["full", "sharded"])
@FEW
@given(data=st.data())
def test_the_solution_does_not_depend_on_who_holds_what(task, b, data):
    params = {"b": b} if task == "III-30" else {}
    instance = draw(task, 5, data.draw(st.integers(0, 99)), **params)
    parts = [single for shard in instance.shards for single in apart(shard)]
    shards = [empty(instance.shards[0]) for _ in range(data.draw(st.integers(1, 8)))]
    for single in data.draw(st.permutations(parts)):
        join(shards[data.draw(st.integers(0, len(shards) - 1))], single)
    assert TASKS[task].adopt(shards, instance.extra).answer == instance.answer


def apart(shard):
    """Single vectors, or single rows and columns."""
    if "users" in shard:
        for kind in ("users", "items"):
            yield from ({kind: {key: vector}} for key, vector in shard[kind].items())
        return
    for lines, indices in (("A_rows", "A_row_indices"), ("B_columns", "B_column_indices")):
        for line, index in zip(shard.get(lines, ()), shard.get(indices, ()), strict=True):
            yield {lines: [line], indices: [index]}


def empty(shard):
    held = {"users": {}, "items": {}, "A_rows": [], "A_row_indices": []}
    held |= {"B_columns": [], "B_column_indices": []}
    return {key: held[key].copy() if key in held else value for key, value in shard.items()}


def join(shard, single):
    for key, value in single.items():
        shard[key] = shard[key] | value if isinstance(value, dict) else shard[key] + value


# --- knowledge, copies, options -------------------------------------------------------------------


@pytest.mark.parametrize("task", SHUFFLE)
def test_everything_must_be_known(task):
    instance = draw(task, 6)
    assert TASKS[task].minimum_messages(6) == 10
    for agent in range(6):
        known = TASKS[task].sufficient(agent, instance.shards, instance.extra)
        assert known == (frozenset(range(6)),)


@pytest.mark.parametrize("task", SHUFFLE)
def test_overlap_is_refused_where_it_changes_the_answer(task):
    if task in ("III-21", "III-22", "III-25", "III-28", "III-29"):
        with pytest.raises(ConfigError, match=f"overlap must be 0 for {task}"):
            parallel_env(task=task, n_agents=4, overlap=1)
        return
    plain, shared = (parallel_env(task=task, n_agents=4, overlap=o) for o in (0, 1))
    plain.reset(seed=3)
    shared.reset(seed=3)
    assert shared.instance["answer"] == plain.instance["answer"]
    one, two = (json.dumps(env.instance["shards"]) for env in (plain, shared))
    assert len(two) > len(one)
    for policy in ("silo:all-gather", "silo:optimal"):
        assert rollout(shared, make_policy(policy), 3).metrics["S"] == 1.0


@pytest.mark.parametrize("params", [{"answer": "segment"}, {"b": "sharded"}], ids=str)
@pytest.mark.parametrize("policy", ["silo:all-gather", "silo:optimal"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("n_agents", [2, 10, pytest.param(50, marks=pytest.mark.slow)])
def test_baselines_solve_the_other_forms(params, policy, protocol, n_agents):
    task = "III-21" if "answer" in params else "III-30"
    env = coordgym.make(task, n_agents=n_agents, protocol=protocol, params=params)
    metrics = rollout(env, make_policy(policy), 5).metrics
    assert metrics["S"] == metrics["P"] == 1.0
    assert metrics["premature"] is metrics["consensus_failure"] is False
    if policy == "silo:optimal" and protocol == "p2p":
        assert metrics["redundancy"] == 1.0


def test_sorted_segments_follow_the_ids_and_the_oracle_joins_them():
    instance = {"shards": [[5], [4, 1, 3], [], [2, 0, 0]], "extra": {"answer": "segment"}}
    env = parallel_env(task="III-21", n_agents=4)
    observations, _ = env.reset(seed=0, options={"instance": instance})
    assert env.instance["answer"] == [[0], [0], [1], [2, 3, 4, 5]]
    assert "submit its own part" in observations["agent_2"]
    _, rewards, _, _, _ = env.step(
        {f"agent_{i}": f"submit_result({piece})" for i, piece in enumerate(env.instance["answer"])}
    )
    assert set(rewards.values()) == {1.0}
    alone = parallel_env(task="III-21", n_agents=4, oracle=True)
    alone.reset(seed=0, options={"instance": instance})
    _, rewards, _, _, _ = alone.step({"agent_0": "submit_result([0, 0, 1, 2, 3, 4, 5])"})
    assert rewards == {"agent_0": 1.0}


def test_only_the_full_matrix_is_common():
    chosen = TASKS["III-30"]
    for b, common in (("full", True), ("sharded", False)):
        one, two = draw("III-30", 2, b=b).shards
        part = chosen.private_part(two)
        assert ("B_matrix" in two) is common
        assert "B_matrix" not in part
        assert chosen.whole_shard(part, one) == two


def test_partial_credit_of_a_hundred_rows():
    answer = draw("III-30", 100).answer
    wrong = [[*row[:-1], row[-1] + 1] if i % 4 == 0 else row for i, row in enumerate(answer)]
    for spelling in (wrong, json.dumps(wrong)):
        assert TASKS["III-30"].grade(spelling, answer) == (False, 0.75)


# --- refused input ------------------------------------------------------------------------------

GRAPH = {"num_nodes": 3}
RANK = {"num_nodes": 3, "damping": 0.85, "decimals": 6}
MEANS = {"k": 1, "decimals": 2, "initial_centroids": [[0.0, 0.0]]}
PAIRS = {"k": 1, "decimals": 4}
SERVERS = {"n_servers": 2, "decimals": 2}
HOLDS = {"users": {"0": [0.5]}, "items": {"0": [0.5]}}
JOB = {"id": 0, "duration": 5}
ROW = {
    "type": "rows_and_full_B",
    "A_rows": [[1, 2]],
    "A_row_indices": [0],
    "B_matrix": [[1, 0]] * 2,
}
COLUMN = {
    "type": "rows_and_columns",
    "A_rows": [[1, 2]],
    "A_row_indices": [0],
    "B_columns": [[1, 2]],
    "B_column_indices": [0],
}


@pytest.mark.parametrize(
    ("task", "shards", "extra", "reason"),
    [
        ("III-21", [[1], [1.5]], {}, r"shards\[1\].*integers"),
        ("III-21", [[1], [2]], {"answer": "part"}, "answer"),
        ("III-22", [[], []], {}, "empty"),
        ("III-22", [[1], [2]], {"total": 3}, "total"),
        ("III-23", [[[0, 1]], [[0, 3]]], GRAPH, r"shards\[1\].*0\.\.2"),
        ("III-23", [[[0, 1]], [[0, 1, 2]]], GRAPH, r"shards\[1\].*an edge"),
        ("III-23", [[], []], {}, "num_nodes"),
        ("III-23", [[], []], {"num_nodes": 0}, "num_nodes"),
        ("III-24", [[], []], {**GRAPH, "source": 3}, "source"),
        ("III-24", [[], []], {"source": 0}, "num_nodes"),
        ("III-25", [[[1.0, 2.0]], [[1.0]]], MEANS, r"shards\[1\].*points"),
        ("III-25", [[], []], {**MEANS, "initial_centroids": []}, "centroids"),
        ("III-25", [[], []], {**MEANS, "k": 2}, "k"),
        ("III-25", [[], []], {"k": 1, "decimals": 2}, "centroids"),
        ("III-25", [[[1e300, 0.0]], []], MEANS, r"shards\[0\].*finite"),
        ("III-26", [[1], ["2"]], {}, r"shards\[1\].*integers"),
        ("III-27", [HOLDS, {}], PAIRS, r"shards\[1\].*users and items"),
        ("III-27", [HOLDS, {"users": {"x": [0.5]}, "items": {}}], PAIRS, "ids"),
        ("III-27", [HOLDS, {"users": {"1": [0.5, 0.5]}, "items": {}}], PAIRS, "one length"),
        ("III-27", [HOLDS, {"users": {"0": [0.6]}, "items": {}}], PAIRS, "two different"),
        ("III-27", [HOLDS, {"users": {}, "items": {}}], {**PAIRS, "k": 2}, "number of pairs"),
        ("III-28", [[[0, 1]], [[0, 1]]], RANK, r"\[0, 1\] occurs 2 times"),
        ("III-28", [[], []], {**RANK, "damping": 1.5}, "damping"),
        ("III-29", [[JOB], [JOB]], SERVERS, "id 0 occurs twice"),
        ("III-29", [[JOB], [{"id": 1, "duration": -1}]], SERVERS, r"shards\[1\].*tasks"),
        ("III-29", [[JOB], []], {"decimals": 2, "n_servers": 0}, "n_servers"),
        ("III-30", [ROW, ROW], {"dim": 2}, "row of A 1"),
        ("III-30", [ROW, {**ROW, "A_rows": [[1, 3]]}], {"dim": 2}, "different"),
        ("III-30", [ROW, {**ROW, "A_rows": [[1]]}], {"dim": 2}, r"shards\[1\].*2 integers"),
        ("III-30", [ROW, {**ROW, "A_row_indices": [2]}], {"dim": 2}, r"shards\[1\].*0\.\.1"),
        ("III-30", [ROW, {**ROW, "A_row_indices": []}], {"dim": 2}, r"shards\[1\].*as long"),
        (
            "III-30",
            [ROW, {**ROW, "A_row_indices": [1], "B_matrix": [[1, 1]] * 2}],
            {"dim": 2},
            "same B_matrix",
        ),
        ("III-30", [COLUMN, COLUMN], {"dim": 2}, r"shards\[0\].*rows_and_full_B"),
        (
            "III-30",
            [COLUMN, {**COLUMN, "A_row_indices": [1]}],
            {"dim": 2, "b": "sharded"},
            "column of B 1",
        ),
        ("III-30", [ROW, ROW], {}, "dim"),
    ],
)
def test_input_without_an_answer_is_refused(task, shards, extra, reason):
    env = parallel_env(task=task, n_agents=2)
    with pytest.raises(InstanceError, match=reason):
        env.reset(seed=1, options={"instance": {"shards": shards, "extra": extra}})


@pytest.mark.parametrize(
    ("task", "params", "reason"),
    [
        ("III-21", {"answer": "parts"}, "answer must be"),
        ("III-21", {"low": 5, "high": 4}, "low"),
        ("III-23", {"nodes": 0}, "nodes"),
        ("III-24", {"nodes": 2, "edges": 20}, "edges must be at most half"),
        ("III-25", {"k": 0}, "k"),
        ("III-27", {"users": 1, "items": 1, "k": 7}, "k must be at most"),
        ("III-27", {"factors": 1, "decimals": 1, "users": 50, "k": 1}, "tie at the cut"),
        ("III-30", {"b": "half"}, "b must be"),
        ("III-30", {"low": 5, "high": 4}, "low"),
    ],
)
def test_parameters_that_make_no_instance_are_refused(task, params, reason):
    with pytest.raises(ConfigError, match=reason):
        draw(task, 2, **params)
