"""A person at the terminal as policy: every active agent's observation is shown in turn."""

from collections.abc import Mapping, Sequence

from coordgym.contract.base import Info
from coordgym.errors import ModelError
from coordgym.policies.protocol import Completion

END_LINE = "."
HELP = (
    f"(the action ends with an empty line or a line {END_LINE!r}; that alone = empty action; "
    "Ctrl-C leaves the game)"
)


class HumanPolicy:
    """Reads actions from standard input.

    An action is one or several lines up to an empty line or a line with only ``.``; an empty
    action is that point alone. At the end of the input a
    ``ModelError`` is raised: nobody is left to play.
    """

    name = "human"

    def reset(self, agents: Sequence[str], infos: Mapping[str, Info], seed: int) -> None:
        """Nothing to prepare: the first observations hold the instructions."""

    def act(
        self, observations: Mapping[str, str], infos: Mapping[str, Info]
    ) -> dict[str, str | Completion]:
        """Ask for the action of every agent given.

        Raises:
            ModelError: If the input ends.
        """
        actions: dict[str, str | Completion] = {}
        for agent, observation in observations.items():
            info = infos[agent]
            print(f"\n=== {agent}, round {info['round']}, limit {info['max_cycles']} steps ===")
            print(observation)
            print(HELP)
            actions[agent] = _read_action(agent)
        return actions


def make_human_policy() -> HumanPolicy:
    """Make the policy named ``human``."""
    return HumanPolicy()


def _read_action(agent: str) -> str:
    lines: list[str] = []
    while True:
        try:
            line = input(f"{agent}> ")
        except EOFError as error:
            raise ModelError(f"the input ended before {agent} had acted") from error
        if line.strip() == END_LINE:
            break
        if line.strip():
            lines.append(line)
        elif lines:
            break
    return "\n".join(lines)
