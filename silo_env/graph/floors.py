"""What an instance pays for without a word: the floor that rewards begin above.

The floor is the best of ``FLOOR_DRAWS`` draws of the task's own guess, and of the answers that
all agents give alike. It is a function of the instance alone: its draws have a fixed stream.
"""

from collections.abc import Iterator
from itertools import chain

from coordgym.contract.rewards import FLOOR_DRAWS
from coordgym.contract.seeding import stream_rng
from coordgym.silo_env.graph.instance import Instance
from coordgym.silo_env.graph.task import Alone

GUESS_SEED = 0
"""Seed of the guesses: their streams are no episode's."""
MAX_CONSTANTS = 2
"""Tasks with more options that all agents share, such as groups, lose by agreeing on one."""


def floor_of(world: Instance) -> float:
    """Return the best grade that silence is known to reach on an instance, in [0, 1].

    It takes some 5 ms for 8 agents, 60 ms for 64.
    """
    best = 0.0
    for answers in chain(_constants(world), _guesses(world)):
        best = max(best, world.grade(answers))
        if best >= 1:
            break
    return best


def _constants(world: Instance) -> Iterator[dict[str, str | None]]:
    names = world.network.names
    shared = set(world.options(0)).intersection(*(world.options(i) for i in range(len(names))))
    for option in [each for each in world.options(0) if each in shared][:MAX_CONSTANTS]:
        yield dict.fromkeys(names, option)


def _guesses(world: Instance) -> Iterator[dict[str, str | None]]:
    network = world.network
    count = len(network.names)
    options = [world.options(i) for i in range(count)]
    around = [network.names_around(i) for i in range(count)]
    for draw in range(FLOOR_DRAWS):
        rng = stream_rng(GUESS_SEED, f"graph/{world.task.name}/guesses", draw)
        places, luck = rng.random(count).tolist(), rng.random(count).tolist()
        links = dict(zip(network.edges, rng.random(len(network.edges)).tolist(), strict=True))
        answers: dict[str, str | None] = {}
        for i, name in enumerate(network.names):
            others = network.neighbours[i]
            alone = Alone(
                options=options[i],
                n_agents=count,
                place=places[i],
                before=sum(places[j] < places[i] for j in others),
                links=[links[min(i, j), max(i, j)] for j in others],
                neighbours=around[i],
                common=draw / FLOOR_DRAWS,
                luck=luck[i],
            )
            answers[name] = world.task.guess(alone)
        yield answers
