"""A graph task for tests: a lit lamp near everybody, no two side by side."""

from collections.abc import Mapping, Sequence

from coordgym.silo_env.graph.task import (
    Answers,
    GraphTask,
    Measures,
    Neighbourhoods,
    Score,
    share,
)


class ToyLamps(GraphTask):
    """Lamps: a Lit agent near everybody, but no two Lit neighbours."""

    name = "toy_lamps"
    title = "Lamps"
    local = True
    question = "one lamp near everybody, no two side by side"
    solved_if = "every Dark agent has a Lit neighbour, no Lit agent has"
    measures = Measures(
        "1 or 0", "share of agents that are right", "always 0", "neighbours that are both Lit"
    )
    input_values = ("red", "green", "50% grey")

    def options(self, neighbours: Sequence[str], max_degree: int) -> tuple[str, ...]:
        """Return what an agent may answer."""
        return ("Lit", "Dark")

    def describe(self, max_degree: int) -> str:
        """Tell the task in full sentences."""
        return "Who is Dark needs a Lit neighbour, who is Lit must have none."

    def summarize(self, max_degree: int) -> str:
        """Tell the task in few words."""
        return "Dark needs a Lit neighbour, Lit must have none"

    def judge(self, answers: Answers) -> Score:
        """Judge the answers of the honest agents."""
        given = answers.of_honest()
        wrong = 0
        for name, answer in given.items():
            near_a_lamp = any(given.get(other) == "Lit" for other in answers.neighbours[name])
            wrong += answer != ("Dark" if near_a_lamp else "Lit")
        coverage = share(len(given) - wrong, len(given))
        clashes = sum(
            self.clash(name, other, given)
            for name in given
            for other in answers.neighbours[name]
            if name < other and other in given
        )
        return Score(not wrong, float(not wrong), coverage, 0.0, clashes)

    def clash(self, first: str, second: str, given: Mapping[str, str]) -> bool:
        """Tell whether two neighbours spoil each other's answers."""
        return given[first] == given[second] == "Lit"

    def solve(self, neighbours: Neighbourhoods, inputs: Mapping[str, str] | None) -> dict[str, str]:
        """Light a lamp wherever none is near yet."""
        lit: set[str] = set()
        for name, around in neighbours.items():
            if not lit & {name, *around}:
                lit.add(name)
        return {name: "Lit" if name in lit else "Dark" for name in neighbours}
