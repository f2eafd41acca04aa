"""The options of the split-view pairs, checked once, with their defaults.

The environment is made from them, and whoever judges a recorded dialogue reads them from the
episode's keyword arguments (``PairOptions.from_kwargs``): both take the same for what is not given.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Literal, cast, get_args

from coordgym.contract.options import BaseOptions
from coordgym.contract.rewards import Reward
from coordgym.data.plain import plain_number
from coordgym.errors import (
    ConfigError,
    require_bool,
    require_choice,
    require_int,
    require_probability,
    suggest,
)
from coordgym.parsing.printable import is_printable
from coordgym.silo_env.pairs.grids.cells import HIDDEN
from coordgym.silo_env.pairs.rewards import ALIASES, GAMEABLE
from coordgym.silo_env.pairs.task import AnyTask, Friction, find_task
from coordgym.silo_env.pairs.texts import CLAUSE_CHOICES

PAIR, SOLO = "pair", "solo_full"
ONE_VIEW_MODES = ("solo_view1", "solo_view2")
MODES = (PAIR, SOLO, *ONE_VIEW_MODES)

SCHEME_CHOICES = ("grid", "paper_table")
"""Which tasks read coordinates under all schemes: every grid task, or only the paper's ``maze``."""

ActiMode = Literal["literal", "strict"]


class PairArguments(BaseOptions, total=False):
    """The keyword arguments of ``PairEnv``: the fields of ``PairOptions``, and the shared ones."""

    task: str
    mode: str
    friction: Friction
    config: Mapping[str, Any] | None
    max_exchanges: int
    max_message_chars: int
    clauses: str
    acti_mode: ActiMode
    free_text: bool
    max_floor: float | None
    mask_char: str
    cap_zero: bool
    move_by_move: bool
    solo_render: str
    critic: bool
    schemes: str
    reward: str
    credit: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOptions:
    """Checked options; the meaning of each is told at ``PairEnv``.

    Raises:
        ConfigError: A value is not allowed.
    """

    task: str = "maze"
    mode: str = PAIR
    friction: Friction = 1
    config: Mapping[str, Any] | None = None
    max_exchanges: int = 50
    max_message_chars: int = 20_000
    clauses: str = "none"
    acti_mode: ActiMode = "literal"
    free_text: bool = True
    max_floor: float | None = None
    mask_char: str = HIDDEN
    cap_zero: bool = False
    move_by_move: bool = False
    solo_render: str = "merged"
    critic: bool = True
    schemes: str = "grid"
    reward: str = "score"
    credit: str | None = None
    pays: Reward = field(init=False)

    def __post_init__(self) -> None:
        keep = partial(object.__setattr__, self)  # numbers as Python's own
        require_choice("mode", self.mode, MODES)
        keep("friction", require_friction(self.friction))
        make_config(self.rules, self.config)
        keep("config", None if self.config is None else dict(self.config))
        keep("max_exchanges", require_int("max_exchanges", self.max_exchanges, 1, 1000))
        most = require_int("max_message_chars", self.max_message_chars, 100, 100_000)
        keep("max_message_chars", most)
        require_choice("clauses", self.clauses, CLAUSE_CHOICES)
        require_choice("acti_mode", self.acti_mode, get_args(ActiMode))
        require_bool("free_text", self.free_text)
        if self.max_floor is not None:
            keep("max_floor", require_probability("max_floor", self.max_floor))
        require_mask(self.rules, self.mask_char)
        require_bool("cap_zero", self.cap_zero)
        if require_bool("move_by_move", self.move_by_move) and not self.rules.takes_moves:
            raise ConfigError(f"move_by_move must be False for {self.task}: its answer is no walk")
        require_choice("solo_render", self.solo_render, ("merged", "both_views"))
        require_bool("critic", self.critic)
        searches_schemes(self.rules, self.schemes)
        pays = Reward.chosen(
            self.reward, self.credit, default_credit="team", aliases=ALIASES, others=GAMEABLE
        )
        keep("pays", pays)

    @classmethod
    def from_kwargs(cls, kwargs: Mapping[str, Any]) -> "PairOptions":
        """Read the options from an environment's keyword arguments, whatever else these hold.

        Raises:
            ConfigError: A value is not allowed.
        """
        return cls(**{name: value for name, value in kwargs.items() if name in _NAMES})

    @property
    def rules(self) -> AnyTask:
        """The task itself."""
        return find_task(self.task)

    @property
    def parameters(self) -> Any:
        """The parameters of the task's generator."""
        return make_config(self.rules, self.config)

    @property
    def search_schemes(self) -> bool:
        """Whether coordinates of an answer are read under all schemes."""
        return searches_schemes(self.rules, self.schemes)

    @property
    def alone(self) -> bool:
        """Whether one agent plays."""
        return self.mode != PAIR

    @property
    def solo_turns(self) -> int:
        """How often an agent that plays alone answers."""
        return 2 if self.critic else 1


_NAMES = frozenset(each.name for each in fields(PairOptions) if each.init)


def shared_options(kwargs: PairArguments) -> BaseOptions:
    """Return the arguments that are none of the family's own, for the base class to check."""
    return cast("BaseOptions", {k: v for k, v in kwargs.items() if k not in _NAMES})


def searches_schemes(task: AnyTask, schemes: str) -> bool:
    """Tell whether answers of a task are read under all coordinate schemes.

    Raises:
        ConfigError: ``schemes`` is none of SCHEME_CHOICES.
    """
    require_choice("schemes", schemes, SCHEME_CHOICES)
    return task.uses_schemes and (schemes == "grid" or task.name == "maze")


def require_friction(friction: object) -> Friction:
    """Check a friction level.

    Raises:
        ConfigError: It is not 0, 1 or 2.
    """
    return cast("Friction", require_int("friction", friction, 0, 2))


def require_mask(task: AnyTask, mask_char: object) -> str:
    """Check the sign for hidden cells.

    Raises:
        ConfigError: It may stand for something else in a drawing, or the task hides no cells.
    """
    if not isinstance(mask_char, str) or len(mask_char) > 1:
        raise ConfigError(f"mask_char must be one sign or '', got {mask_char!r:.40}")
    if mask_char and (
        mask_char.isalnum() or not is_printable(mask_char) or mask_char in " @*.#^<>|"
    ):
        raise ConfigError(f"mask_char must be a sign that drawings don't use, got {mask_char!r}")
    if mask_char != HIDDEN and not task.masks:
        raise ConfigError(f"mask_char must be {HIDDEN!r} for {task.name}: its views hide no cells")
    return mask_char


def make_config(task: AnyTask, config: Mapping[str, object] | None) -> Any:
    """Return the generator's parameters of a task, with defaults for what is not given.

    Raises:
        ConfigError: It is no dict, a key is unknown or a value not allowed.
    """
    if config is not None and not isinstance(config, Mapping):
        raise ConfigError(f"config must be a dict or None, got {config!r:.80}")
    given = {} if config is None else {key: plain_number(value) for key, value in config.items()}
    known = list(task.config_type.__dataclass_fields__)
    for key in given:
        if key not in known:
            raise ConfigError(
                f"config of {task.name} has no {key!r:.100}{suggest(str(key)[:100], known)}"
                f"; it takes {', '.join(known)}"
            )
    return task.config_type(**given)
