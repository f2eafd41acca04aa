"""The rewards that every family offers, under the same names.

``success``
    1 at the end if what was asked for is right, else 0.
``partial``
    At the end the share of a right answer that lies above the floor, in [0, 1].
``shaped``
    ``partial``, with potential differences paid on the way. The potential is 0 at the start and
    at the end, so that an episode's return is that of ``partial`` whatever was done in between
    (Ng, Harada and Russell 1999; for episodes that end, Grzes 2017).

``credit`` says for whom: ``"team"`` pays everybody for what all have done, ``"seat"`` each agent
for its own part, where the family can tell the parts apart.

A **floor** is what the best known policy earns that neither talks nor sees what others hold: a
constant, a policy that knows its own data only, one view, silence. ``partial`` pays nothing up to
it. For one instance the floor is the best that such policies reach on it, among them
``FLOOR_DRAWS`` draws without data, so that whoever guesses is as likely to be below it as above
one of as many others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, NamedTuple, TypeVar, cast

from coordgym.errors import ConfigError, require_choice

__all__ = ["CREDITS", "FLOOR_DRAWS", "REWARDS", "Credit", "Reward", "Shaping", "above_floor"]

AgentT = TypeVar("AgentT")
"""What agents are called: names, or their numbers."""
Credit = Literal["team", "seat"]
REWARDS = ("success", "partial", "shaped")
CREDITS: tuple[Credit, ...] = ("team", "seat")
FLOOR_DRAWS = 32
"""How many draws of a policy without data an instance's floor is the best of."""


class Reward(NamedTuple):
    """What is paid, and for whose work.

    Attributes:
        name: One of ``REWARDS``, or a reward that only one family has.
        credit: "team" or "seat".
    """

    name: str
    credit: Credit

    @classmethod
    def chosen(
        cls,
        reward: object,
        credit: object,
        *,
        default_credit: Credit,
        aliases: Mapping[str, "Reward"],
        others: Mapping[str, Credit] | None = None,
    ) -> "Reward":
        """Read the keyword arguments ``reward`` and ``credit`` of an environment.

        Args:
            reward: One of ``REWARDS``, of the aliases or of the others.
            credit: "team", "seat", or None for the default.
            default_credit: Whom the common rewards pay where ``credit`` is None.
            aliases: Other names of common rewards; each says itself for whom.
            others: Rewards that only this family has, with whom each pays.

        Raises:
            ConfigError: If a value is not allowed, or the credit contradicts the reward's name.
        """
        own = others or {}
        name = require_choice("reward", reward, (*REWARDS, *aliases, *own))
        if credit is not None:
            require_choice("credit", credit, CREDITS)
        wanted = cast("Credit | None", credit)
        if name in REWARDS:
            return cls(name, wanted or default_credit)
        fixed = aliases[name] if name in aliases else cls(name, own[name])
        if wanted not in (None, fixed.credit):
            raise ConfigError(
                f"credit must be {fixed.credit!r} or None with reward={name!r}, got {wanted!r}; "
                f"reward='success', 'partial' and 'shaped' take either"
            )
        return fixed


def above_floor(score: float, floor: float) -> float:
    """Return the share of what lies between the floor and 1 that a score has reached, in [0, 1].

    A right answer (score 1) earns 1 even where the floor is 1 as well.

    Args:
        score: What was reached, in [0, 1].
        floor: What the best known policy without talk and others' data reaches, in [0, 1].
    """
    if score >= 1:
        return 1.0
    return (score - floor) / (1 - floor) if score > floor else 0.0


@dataclass(slots=True)
class Shaping(Generic[AgentT]):
    """Potential differences of one episode: what is paid up sums to zero when it is over."""

    potentials: dict[AgentT, float] = field(default_factory=dict)
    """The present potential by agent; missing = 0, as at the start."""

    def paid(self, potentials: Mapping[AgentT, float], *, over: bool) -> dict[AgentT, float]:
        """Return what each agent is paid for the step that led to these potentials.

        Args:
            potentials: The potential of the new state by agent, measured from that of the start.
                An agent that is missing has 0, as one that has left.
            over: Whether the episode has ended: then the potential is 0 for everybody.
        """
        reached = {} if over else dict(potentials)
        names = dict.fromkeys([*self.potentials, *reached])
        paid = {name: reached.get(name, 0.0) - self.potentials.get(name, 0.0) for name in names}
        self.potentials = reached
        return paid
