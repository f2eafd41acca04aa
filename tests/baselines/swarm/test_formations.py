"""What formations are made from: the prey as the environment plays it, traps, the search."""

import numpy as np
import pytest

from coordgym.baselines.swarm.formations.field import Field
from coordgym.baselines.swarm.formations.known import KNOWN
from coordgym.baselines.swarm.formations.search import CATCH, KEEP, search
from coordgym.baselines.swarm.formations.worth import BOTH, worth
from coordgym.swarm_env.grid.placement import bordered_grid, wall_object
from coordgym.swarm_env.grid.world import World
from coordgym.swarm_env.tasks.pursuit import PREY, PreyState, flight, refuge, threat

SIZES = [(6, 6, 3), (9, 14, 10), (16, 11, 20)]


def drawn(height: int, width: int, n_agents: int, seed: int) -> tuple[Field, list[int], World]:
    """An empty map with agents and a prey on drawn cells."""
    land = Field(height, width)
    numbers = np.random.default_rng(seed).permutation(land.cells)
    slots = [int(number) for number in numbers[:n_agents]]
    world = World.from_dict(
        {
            "height": height,
            "width": width,
            "agents": {str(n): {"pos": list(land.cell(at))} for n, at in enumerate(slots)},
            "objects": [wall_object(bordered_grid(height, width))],
            "prey": list(land.cell(int(numbers[n_agents]))),
        },
        PreyState,
    )
    return land, slots, world


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_the_field_knows_threat_and_flight_as_the_environment_has_them(
    size: tuple[int, int, int], seed: int
) -> None:
    land, slots, world = drawn(*size, seed)
    free, danger = land.free(slots), land.threat(slots)
    goes = land.flights(free, danger)
    for number in np.flatnonzero(free):
        row, column = land.cell(int(number))
        assert land.number((row, column)) == number
        world.move(PREY, row, column)
        assert threat(world, row, column) == danger[number]
        assert land.cell(int(goes[number])) == (
            flight(world, row, column, compat=False) or (row, column)
        )


def test_the_field_knows_where_a_caught_prey_reappears() -> None:
    land, slots, world = drawn(6, 7, 6, seed=1)
    free = land.free(slots)
    shares = land.refuges(free, land.threat(slots))
    assert shares.sum() == pytest.approx(1)
    rng = np.random.default_rng(0)
    draws = 4000
    counts = np.zeros(land.size)
    for _ in range(draws):
        counts[land.number(refuge(world, rng))] += 1
    assert np.abs(counts / draws - shares).max() < 0.03


@pytest.mark.parametrize("key", sorted(KNOWN))
def test_listed_formations_are_complete_and_good(key: tuple[int, int, int, int]) -> None:
    height, width, n_agents, sight = key
    land = Field(height, width)
    found = []
    for parity, slots in KNOWN[key]:
        assert len(set(slots)) == n_agents
        numbers = [land.number(cell) for cell in slots]
        assert all(land.is_inside(number) for number in numbers)
        found.append((parity, worth(land, numbers, parity, sight)))
    assert found[0][0] == BOTH or {parity for parity, _ in found} == {0, 1}
    assert min(each.rounds for _, each in found) < (4.2 if n_agents == 10 and sight == 1 else 2.2)


def test_the_search_repeats_itself_and_finds_something_better() -> None:
    land = Field(8, 8)
    for aim, parity in ((KEEP, BOTH), (KEEP, 0), (CATCH, 1)):
        none, some = (search(8, 8, 9, 2, parity, aim, tries) for tries in (0, 300))
        assert some == search(8, 8, 9, 2, parity, aim, 300)
        assert len(set(some)) == 9
        costs = [
            sum(worth(land, [land.number(cell) for cell in slots], parity, 2)[1:])
            for slots in (none, some)
        ]
        assert costs[1] < costs[0]


def test_a_map_nearly_full_of_agents_has_a_formation() -> None:
    assert len(set(search(6, 6, 15, 2, BOTH, KEEP, 20))) == 15
