"""The relational tasks: brute force on tiny instances, planted splits, promises of generators."""

import itertools
import json

import networkx as nx
import numpy as np
import pytest
from cases import cases

from coordgym.silo_env import pairs
from coordgym.silo_env.pairs.instance import generate
from coordgym.silo_env.pairs.options import make_config
from coordgym.silo_env.pairs.task import find_task
from coordgym.silo_env.pairs.tasks.relaquery.kinship import RELATIONS, parent_sets, relation

DEALT = (
    "ancestorpath", "dagorder", "eulerpath", "graph", "graphattr", "graphpath", "noderanking",
    "relaquery", "treesum", "trianglecount",
)  # fmt: skip
"""The tasks whose facts are dealt to the views; aliasedtaxonomy names everything twice."""
TINY = {
    (case["task"], case["seed"]): case["instance"]
    for case in cases("pair_cases", size="tiny")
    if case["task"] in (*DEALT, "aliasedtaxonomy")
}
seeds = pytest.mark.parametrize("seed", [0, 2])


def best(task: str, seed: int, answers) -> set[str]:
    """The answers that score 1.0, as JSON."""
    instance = TINY[task, seed]
    scores = {json.dumps(answer): pairs.grade(task, instance, answer).score for answer in answers}
    return {answer for answer, score in scores.items() if score == 1.0}


def network(instance, graph) -> nx.Graph:
    graph.add_nodes_from(instance.get("nodes", ()))
    graph.add_edges_from(edge[:2] for edge in instance["edges"])
    return graph


# --- 1.0 for the optimum and nothing else --------------------------------------------------------


@seeds
def test_only_true_matchings_are_perfect(seed) -> None:
    instance = TINY["aliasedtaxonomy", seed]
    trees = []
    for k in ("1", "2"):
        tree = nx.DiGraph()
        columns = (instance[f"{field}{k}"] for field in ("names", "parent", "trait"))
        for name, parent, trait in zip(*columns, strict=True):
            tree.add_node(name, trait=trait)
            if parent is not None:
                tree.add_edge(instance[f"names{k}"][parent], name)
        trees.append(tree)
    matcher = nx.isomorphism.DiGraphMatcher(*trees, lambda a, b: a["trait"] == b["trait"])
    true = [json.dumps({"pairs": found}, sort_keys=True)
            for found in matcher.isomorphisms_iter()]  # fmt: skip
    names = sorted(instance["names1"])
    every = (
        {"pairs": dict(zip(names, order, strict=True))}
        for order in itertools.permutations(instance["names2"])
    )
    assert best("aliasedtaxonomy", seed, every) == set(true)
    assert len(true) == 1


@seeds
def test_only_true_chains_are_perfect(seed) -> None:
    instance = TINY["ancestorpath", seed]
    tree = network(instance, nx.DiGraph())
    (root,) = (person for person, parents in tree.in_degree() if parents == 0)
    chains = [nx.shortest_path(tree, root, person)[::-1] for person in instance["queries"]]
    assert pairs.solve("ancestorpath", instance) == {"answers": chains}
    for position, chain in enumerate(chains):
        changed = [chain[:-1], chain[1:], chain[::-1], [*chain, chain[-1]], [chain[0]], "x", None]
        for other in changed:
            answers = [*chains[:position], other, *chains[position + 1 :]]
            score = pairs.grade("ancestorpath", instance, {"answers": answers}).score
            assert score == pytest.approx(1 - 1 / len(chains))


@seeds
def test_only_topological_orders_are_perfect(seed) -> None:
    instance = TINY["dagorder", seed]
    orders = list(nx.all_topological_sorts(network(instance, nx.DiGraph())))
    every = ({"order": list(order)} for order in itertools.permutations(instance["nodes"]))
    assert best("dagorder", seed, every) == {json.dumps({"order": order}) for order in orders}


@seeds
def test_only_walks_over_every_bridge_are_perfect(seed) -> None:
    instance = TINY["eulerpath", seed]
    bridges = [tuple(edge[:2]) for edge in instance["edges"]]
    true = set()
    for order in itertools.permutations(bridges):
        for flips in itertools.product((False, True), repeat=len(order)):
            walk = [pair[::-1] if flip else pair for pair, flip in zip(order, flips, strict=True)]
            if all(a[1] == b[0] for a, b in itertools.pairwise(walk)):
                true.add(json.dumps({"nodes": [walk[0][0], *(step[1] for step in walk)]}))
    every = (
        {"nodes": list(nodes)}
        for nodes in itertools.product(instance["nodes"], repeat=len(bridges) + 1)
    )
    assert best("eulerpath", seed, every) == true
    task = find_task("eulerpath")
    listed = task.optimal_answers(task.read_instance(instance), 400)
    assert {json.dumps(answer) for answer in listed} == true


@seeds
def test_bridges_may_be_written_from_either_end(seed) -> None:
    task = find_task("eulerpath")
    instance = task.read_instance(TINY["eulerpath", seed])
    nodes = task.solve(instance)["nodes"]
    walk = [list(pair) for pair in itertools.pairwise(nodes)]
    for flips in itertools.product((1, -1), repeat=len(walk)):
        edges = [pair[::flip] for pair, flip in zip(walk, flips, strict=True)]
        assert task.grade(instance, {"edges": edges}).exact


@seeds
def test_only_quickest_routes_are_perfect(seed) -> None:
    instance = TINY["graph", seed]
    graph = nx.Graph()
    graph.add_weighted_edges_from(edge[:3] for edge in instance["edges"])
    ends = instance["start"], instance["goal"]
    true = list(nx.all_shortest_paths(graph, *ends, weight="weight"))
    shortest = nx.shortest_path_length(graph, *ends, weight="weight")
    for length in range(len(instance["nodes"]) + 1):
        for route in itertools.product(instance["nodes"], repeat=length):
            collapsed = [node for node, _ in itertools.groupby(route)]
            legal = bool(route) and (route[0], route[-1]) == ends
            legal = legal and all(map(graph.has_edge, collapsed, collapsed[1:]))
            minutes = nx.path_weight(graph, collapsed, "weight") if legal else np.inf
            points = [instance["nodes"][node] for node in route]
            score = pairs.grade("graph", instance, {"path": points}).score
            assert score == pytest.approx(shortest / minutes)
            assert (score == 1.0) == (collapsed in true)


@seeds
def test_only_the_shortest_route_is_perfect(seed) -> None:
    instance = TINY["graphpath", seed]
    graph = nx.DiGraph()
    graph.add_edges_from((a, b, {"label": label}) for label, a, b, _ in instance["edges"])
    (route,) = nx.all_shortest_paths(graph, instance["start"], instance["goal"])
    true = [graph[a][b]["label"] for a, b in itertools.pairwise(route)]
    labels = [edge[0] for edge in instance["edges"]]
    every = (
        {"edges": list(answer)}
        for length in range(5)
        for answer in itertools.product(labels, repeat=length)
    )
    assert best("graphpath", seed, every) == {json.dumps({"edges": true})}


@seeds
def test_only_the_true_counts_are_perfect(seed) -> None:
    instance = TINY["graphattr", seed]
    graph = network(instance, nx.Graph())
    color = {node: c for node, c, _ in instance["colors"]}
    counts = []
    for kind, x, *rest in instance["queries"]:
        counts.append({
            "degree": lambda x, _: graph.degree(x),
            "nbr_color": lambda x, c: sum(color[n] == c for n in graph[x]),
            "common": lambda x, y: len(list(nx.common_neighbors(graph, x, y))),
            "count_edges": lambda c, d: sum({color[a], color[b]} == {c, d} for a, b in graph.edges),
        }[kind](x, rest[0] if rest else None))  # fmt: skip
    every = (
        {"answers": list(answer)} for answer in itertools.product(range(6), repeat=len(counts))
    )
    assert best("graphattr", seed, every) == {json.dumps({"answers": counts})}


@seeds
def test_only_the_true_ranking_is_perfect(seed) -> None:
    instance = TINY["noderanking", seed]
    graph = nx.Graph()
    graph.add_weighted_edges_from(edge[:3] for edge in instance["edges"])
    totals = dict(graph.degree(weight="weight"))
    true = sorted(totals, key=totals.get, reverse=True)[:3]
    every = ({"top": list(order)} for k in range(4)
             for order in itertools.permutations(instance["nodes"], k))  # fmt: skip
    assert best("noderanking", seed, every) == {json.dumps({"top": true})}


@seeds
def test_only_the_sum_is_perfect(seed) -> None:
    instance = TINY["treesum", seed]
    value = {node: number for node, number, _ in instance["values"]}
    path = nx.shortest_path(network(instance, nx.Graph()), instance["u"], instance["v"])
    total = sum(value[node] for node in path)
    every = ({"sum": number} for number in range(-5, 150))
    assert best("treesum", seed, every) == {json.dumps({"sum": total})}
    for text, right in ((f" {total} ", True), (f"{total}.0", True), (f"{total}!", False)):
        assert pairs.grade("treesum", instance, {"sum": text}).exact == right
    assert pairs.grade("treesum", instance, {"sum": float(total)}).exact


@seeds
def test_only_the_set_of_triangles_is_perfect(seed) -> None:
    instance = TINY["trianglecount", seed]
    graph = network(instance, nx.Graph())
    true = sorted(sorted(c) for c in nx.enumerate_all_cliques(graph) if len(c) == 3)
    triples = [list(three) for three in itertools.combinations(sorted(instance["nodes"]), 3)]
    every = (
        {"triangles": list(answer)}
        for count in range(len(triples) + 1)
        for answer in itertools.combinations(triples, count)
    )
    assert best("trianglecount", seed, every) == {json.dumps({"triangles": true})}
    written = ["".join(true[0]), *("-".join(three) for three in true[1:])]
    assert pairs.grade("trianglecount", instance, {"triangles": written}).exact
    assert not pairs.grade("trianglecount", instance, {"triangles": [*written, "A"]}).exact


@seeds
def test_only_true_relations_are_perfect(seed) -> None:
    instance = TINY["relaquery", seed]
    truth = pairs.solve("relaquery", instance)["answers"]
    queries = instance["queries"]
    every = (
        {"answers": [[s, word, o] for (s, o), word in zip(queries, words, strict=True)]}
        for words in itertools.product(RELATIONS, repeat=len(queries))
    )
    assert best("relaquery", seed, every) == {json.dumps({"answers": truth})}
    spelled = [[s, word.replace("_", "-").upper(), o] for s, word, o in truth]
    assert pairs.grade("relaquery", instance, {"answers": spelled}).exact
    turned = [[o, word, s] for s, word, o in truth]
    assert pairs.grade("relaquery", instance, {"answers": turned}).score == 0.0


FAMILY = [
    ("Old", "Ann"), ("Old", "Ben"), ("Ann", "Cid"), ("Ann", "Dot"), ("Ben", "Eva"), ("Cid", "Flo"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("s", "o", "word", "reverse"),
    [
        ("Old", "Ann", "parent", "child"),
        ("Ann", "Ben", "sibling", "sibling"),
        ("Old", "Dot", "grandparent", "grandchild"),
        ("Ben", "Cid", "aunt_uncle", "niece_nephew"),
        ("Cid", "Eva", "cousin", "cousin"),
        ("Old", "Flo", "great_grandparent", "great_grandchild"),
        ("Dot", "Flo", "aunt_uncle", "niece_nephew"),
        ("Flo", "Eva", "none", "none"),
        ("Zed", "Ann", "none", "none"),
    ],
)
def test_relations_and_their_reverses(s, o, word, reverse) -> None:
    people = sorted({"Zed", *(person for link in FAMILY for person in link)})
    parents = parent_sets(people, FAMILY)
    assert relation(s, o, parents) == word
    assert relation(o, s, parents) == reverse


@pytest.mark.parametrize(
    ("name", "answer", "score"),
    [
        ("aliasedtaxonomy", {"pairs": [["buce", "thal"], ["buce", "clop"], ["lepa", 3]]}, 0.2),
        ("aliasedtaxonomy", {"pairs": [["buce", "clop"], ["buce", "thal"]]}, 0.0),
        ("dagorder", {"order": ["A", "C", "A", "B", "C", "E", "D"]}, 1.0),
        ("dagorder", {"order": ["D", "A", "C", "B", "E", "D"]}, 0.6),
        ("noderanking", {"top": ["D", "D", "A", "E"]}, 1.0),
        ("noderanking", {"top": ["D", "Z"]}, (1 + 1 / 3 + 1 / 4) / 3),
        ("graph", {"path": ["A", [3, 2], "B", "D", "D"]}, 1.0),
        ("graph", {"path": ["A", "B", "Z", "D"]}, 0.0),
        ("trianglecount", {"triangles": ["ABC", "CBA", "ABE", "BCD"]}, 1.0),
        ("trianglecount", {"triangles": ["ABC", "ABE", "BCD", "AAB", 7]}, 0.6),
        ("graphpath", {"edges": ["e46", ["C", "D"], "e55", ["E", "B"], "e20"]}, 0.8),
    ],
)
def test_repeated_mixed_and_unknown_entries(name, answer, score) -> None:
    assert pairs.grade(name, TINY[name, 0], answer).score == pytest.approx(score)


# --- planted splits ------------------------------------------------------------------------------


@pytest.mark.parametrize("owner", [1, 2])
@pytest.mark.parametrize("name", DEALT)
def test_a_view_that_knows_everything_fails_the_union_check(name, owner) -> None:
    instance = dict(TINY[name, 0])
    for field in {"edges", "colors", "values"} & set(instance):
        instance[field] = [[*fact[:-1], owner] for fact in instance[field]]
    assert not pairs.is_union_necessary(name, instance)


def test_a_view_that_knows_enough_fails_the_union_check() -> None:
    """What is hidden here can't change the answer."""
    steps = [["A", "B", 1], ["B", "C", 1], ["C", "D", 1], ["A", "C", 2], ["B", "D", 2]]
    assert not pairs.is_union_necessary("dagorder", {"nodes": ["A", "B", "C", "D"], "edges": steps})
    tree = {
        "edges": [["A", "B", 1], ["B", "C", 1], ["C", "D", 2], ["D", "E", 2]],
        "values": [["A", 3, 1], ["B", 4, 1], ["C", 5, 1], ["D", 6, 2], ["E", 7, 2]],
        "u": "A",
        "v": "C",
    }
    assert not pairs.is_union_necessary("treesum", tree)
    assert pairs.is_union_necessary("treesum", {**tree, "v": "D"})
    direct = {
        "nodes": {"A": [0, 1], "B": [1, 0], "C": [2, 3]},
        "edges": [["A", "C", 1, 1], ["A", "B", 4, 2], ["B", "C", 3, 2]],
        "start": "A",
        "goal": "C",
    }
    assert not pairs.is_union_necessary("graph", direct)


# --- what generators promise ---------------------------------------------------------------------

CONFIGS = {
    "aliasedtaxonomy": ({"n": 5}, {"n": 14, "traits": 2}),
    "ancestorpath": ({"n": 7, "q": 3}, {"n": 20, "q": 8, "reach": 2}),
    "dagorder": ({"n": 5, "extra": 1}, {"n": 12, "extra": 0}),
    "eulerpath": ({"n": 4, "m": 5}, {"n": 8, "m": 9}),
    "graph": ({"n": 4, "m": 5}, {"n": 12, "m": 24, "max_weight": 30}),
    "graphattr": ({"n": 5, "m": 6}, {"n": 12, "m": 24, "q": 8}),
    "graphpath": ({"n": 5, "m": 6}, {"n": 12, "m": 24, "min_length": 4}),
    "noderanking": ({"n": 5, "m": 6, "max_weight": 5}, {"n": 12, "m": 24}),
    "relaquery": ({"n": 8, "q": 3}, {"n": 20, "q": 8, "p_two": 0.5}),
    "treesum": ({"n": 6, "min_length": 4}, {"n": 20, "min_length": 8}),
    "trianglecount": ({"n": 5, "m": 7}, {"n": 10, "m": 24, "max_triangles": 30}),
}


@pytest.mark.parametrize(
    ("name", "config"), [(name, config) for name, both in CONFIGS.items() for config in both]
)
def test_generated_instances_keep_to_their_configuration(name, config) -> None:
    task = find_task(name)
    instance = task.to_json(generate(task, make_config(task, config), np.random.default_rng(3)))
    nodes = instance.get("nodes") or instance.get("people") or instance.get("names1")
    edges = instance.get("edges", [])
    if nodes is None:
        nodes = {name for edge in edges for name in edge[:2]}
    assert len(nodes) == config["n"]
    owners = [edge[-1] for edge in edges]
    assert abs(owners.count(1) - owners.count(2)) <= (2 if name == "dagorder" else 1)
    assert len(edges) == config.get("m", len(edges))
    assert len(instance.get("queries", [])) == config.get("q", len(instance.get("queries", [])))
    task.read_instance(json.loads(json.dumps(instance)))


@pytest.mark.parametrize("seed", range(5))
def test_paths_and_chains_need_links_of_both_views(seed) -> None:
    for name in ("ancestorpath", "treesum"):
        task = find_task(name)
        instance = task.to_json(
            generate(task, make_config(task, None), np.random.default_rng(seed))
        )
        tree = nx.Graph()
        tree.add_edges_from((a, b, {"owner": owner}) for a, b, owner in instance["edges"])
        paths = [[instance["u"]]] if name == "treesum" else pairs.solve(name, instance)["answers"]
        if name == "treesum":
            paths = [nx.shortest_path(tree, instance["u"], instance["v"])]
            owners = {owner for node, _, owner in instance["values"] if node in paths[0]}
            assert owners == {1, 2}
        for path in paths:
            assert {tree[a][b]["owner"] for a, b in itertools.pairwise(path)} == {1, 2}


@pytest.mark.parametrize("name", ["graphattr", "relaquery"])
def test_no_query_is_answered_rightly_by_one_half_of_the_links(name) -> None:
    task = find_task(name)
    for seed in range(5):
        instance = task.to_json(
            generate(task, make_config(task, None), np.random.default_rng(seed))
        )
        truth = pairs.solve(name, instance)["answers"]
        for half in (1, 2):
            known = [edge for edge in instance["edges"] if edge[-1] == half]
            alone = pairs.solve(name, {**instance, "edges": known})["answers"]
            assert all(a != b for a, b in zip(truth, alone, strict=True))
