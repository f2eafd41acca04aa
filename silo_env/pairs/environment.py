"""The environment of the split-view pairs: a relayed dialogue that ends with one joint answer.

Observation: at reset the instructions with the agent's view, then the other agent's messages.
Action: one message. The agents take turns, ``agent_0`` first; one step is one message, and the
action of the agent that listens is ignored.
End: a message with ACTI! ends the dialogue; after ``max_exchanges`` messages of each agent it is
truncated. In the solo modes one agent answers and, with ``critic``, corrects its answer once.
Reward: at the end, to each agent, the grade of the latest answer of the dialogue.
Source: The Collaboration Tax (Sun et al. 2026), sections 4 and 5, appendices F, G and I.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Unpack, cast

import numpy as np

from coordgym.contract.base import Observed, TextParallelEnv
from coordgym.contract.options import BaseOptions
from coordgym.contract.spaces import Sampler
from coordgym.errors import (
    ConfigError,
    InstanceError,
    require_bool,
    require_choice,
    require_int,
    require_probability,
)
from coordgym.silo_env.pairs import texts as prompts
from coordgym.silo_env.pairs.dialogue.extraction import ActiMode, ends_dialogue
from coordgym.silo_env.pairs.dialogue.outcome import Message, Outcome, judge
from coordgym.silo_env.pairs.grids.cells import HIDDEN
from coordgym.silo_env.pairs.grids.drawings import with_mask
from coordgym.silo_env.pairs.instance import (
    get_task,
    make_config,
    read_instance,
    require_friction,
    require_mask,
    searches_schemes,
)
from coordgym.silo_env.pairs.task import SEATS, Facts, Seat
from coordgym.silo_env.pairs.union import generate

MODES = ("pair", "solo_full", "solo_view1", "solo_view2")
MAX_INSTRUCTION_CHARS = 40_000
"""Instructions of an instance that was given may not be longer, in code points."""
RANDOM_ANSWER_RATE = 0.2
"""Share of the random policy's messages that end the dialogue with an answer."""


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """Draws messages that neither answer nor end anything."""

    def __call__(self, rng: np.random.Generator) -> str:
        """Draw one message."""
        row, column = (int(number) for number in rng.integers(0, 10, size=2))
        remarks = (
            f"What do you see at ({row}, {column})?",
            "Please state everything that you see.",
            f"I am looking at row {row} now.",
            "Let me think about it.",
        )
        return remarks[int(rng.integers(len(remarks)))]


class PairEnv(TextParallelEnv):
    """Two agents with one half of an instance each; see the module for the rules.

    Args:
        task: Name of the task, such as "maze".
        mode: "pair"; "solo_full" (one agent sees both views), "solo_view1", "solo_view2".
        friction: 0..2, how differently the views are worded: not at all and with a stated frame;
            as in the papers; in another frame.
        config: Parameters of the task's generator, by name.
        max_exchanges: Messages per agent before the dialogue is truncated, 1..1000;
            ``max_cycles``, if given, takes the place of this limit.
        max_message_chars: A longer message is refused; 100..100,000 code points.
        clauses: Intervention clauses: "none", "all", "no_l1" … "no_l4".
        acti_mode: "literal": ACTI! anywhere ends the dialogue; "strict": only at the end of a
            line, outside quotes.
        free_text: Whether an answer may be read from prose where no FINAL ANSWER is found.
        max_floor: Instances of which one view alone is worth more on average, as the score of
            guesses at the hidden half, are drawn anew, 0..1; None: no such limit.
        mask_char: The sign of hidden cells in drawings, "" for blanks (tasks with hidden cells).
        cap_zero: Whether a truncated dialogue scores 0 whatever it had reached.
        move_by_move: Whether the agents are asked to settle one move at a time (path tasks).
        solo_render: "merged": one drawing of everything; "both_views": the two view texts.
        critic: Whether a solo agent gets a second step to correct its answer.
        schemes: "grid": coordinates of every grid task are read under sixteen conventions;
            "paper_table": only those of ``maze``.
        reward: "score": the grade; "exact": 1 for an optimal answer, else 0.
        **base: Options that all environments share, see ``TextParallelEnv``.

    Raises:
        ConfigError: A value is not allowed.
    """

    family = "pairs"
    metadata = {  # PettingZoo's own declaration
        "name": "coordgym_pairs_v0",
        "render_modes": ["ansi", "human"],
        "render_fps": 1,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        *,
        task: str = "maze",
        mode: str = "pair",
        friction: int = 1,
        config: Mapping[str, Any] | None = None,
        max_exchanges: int = 50,
        max_message_chars: int = 20_000,
        clauses: str = "none",
        acti_mode: str = "literal",
        free_text: bool = True,
        max_floor: float | None = None,
        mask_char: str = HIDDEN,
        cap_zero: bool = False,
        move_by_move: bool = False,
        solo_render: str = "merged",
        critic: bool = True,
        schemes: str = "grid",
        reward: str = "score",
        **base: Unpack[BaseOptions],
    ) -> None:
        self.mode = require_choice("mode", mode, MODES)
        super().__init__(n_agents=2 if mode == "pair" else 1, **base)
        self._task = get_task(task)
        self.friction = require_friction(friction)
        self._config = make_config(self._task, config)
        self.max_exchanges = require_int("max_exchanges", max_exchanges, 1, 1000)
        self.max_message_chars = require_int("max_message_chars", max_message_chars, 100, 100_000)
        self.clauses = require_choice("clauses", clauses, prompts.CLAUSE_CHOICES)
        acti_mode = require_choice("acti_mode", acti_mode, ("literal", "strict"))
        self.acti_mode = cast("ActiMode", acti_mode)
        self.free_text = require_bool("free_text", free_text)
        self.max_floor = None if max_floor is None else require_probability("max_floor", max_floor)
        self.mask_char = require_mask(self._task, mask_char)
        self.cap_zero = require_bool("cap_zero", cap_zero)
        self.move_by_move = require_bool("move_by_move", move_by_move)
        if self.move_by_move and not self._task.takes_moves:
            raise ConfigError(f"move_by_move must be False for {task}: its answer is no walk")
        self.solo_render = require_choice("solo_render", solo_render, ("merged", "both_views"))
        self.critic = require_bool("critic", critic)
        self.schemes = schemes
        self._search_schemes = searches_schemes(self._task, schemes)
        self.reward = require_choice("reward", reward, ("score", "exact"))
        self._truth: Any = None
        self._messages: list[Message] = []
        self._ended_by: int | None = None

    # --- the dialogue --------------------------------------------------------------------

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        if given is None:
            self._truth = generate(self._task, self._config, self.rng(0), self.max_floor)
        else:
            self._truth = read_instance(self._task.name, given)
        self._messages = []
        self._ended_by = None
        for agent in self.possible_agents:
            if len(self._instructions(agent)) > MAX_INSTRUCTION_CHARS:
                raise InstanceError(
                    f"the instance needs more than {MAX_INSTRUCTION_CHARS} characters of "
                    "instructions: make it smaller"
                )
        return {
            "task": self._task.name,
            **self._task.to_json(self._truth),
            "answer": self._task.solve(self._truth),
        }

    def _apply(self, actions: dict[str, str | None]) -> dict[str, str | None]:
        speaker = len(self._messages) % self.n_agents
        agent = self.possible_agents[speaker]
        text = actions[agent]
        error = None if text is None else self._check(agent, text)
        if text is None or error is not None:
            self._messages.append(Message(speaker, None))
            return {agent: error}
        self._messages.append(Message(speaker, text))
        if self.mode == "pair" and ends_dialogue(text, self.acti_mode):
            self._ended_by = speaker
        return {}

    def _check(self, agent: str, text: str) -> str | None:
        if not text.strip():
            return "your message was empty"
        if len(text) > self.max_message_chars:
            return (
                f"your message had {len(text)} characters and was not delivered; at most "
                f"{self.max_message_chars} are allowed"
            )
        return None

    def _active(self) -> Collection[str]:
        return [self.possible_agents[len(self._messages) % self.n_agents]]

    def _finished(self) -> Collection[str]:
        return self.possible_agents if self._is_settled() else []

    def _is_settled(self) -> bool:
        """Whether the dialogue has ended by itself: by ACTI!, or after the solo agent's turns."""
        if self.mode == "pair":
            return self._ended_by is not None
        return len(self._messages) >= self._solo_turns()

    def _is_capped(self) -> bool:
        return not self._is_settled() and self.steps >= self.limit

    def _solo_turns(self) -> int:
        return 2 if self.critic else 1

    def _default_max_cycles(self) -> int:
        return 2 * self.max_exchanges if self.mode == "pair" else self._solo_turns()

    # --- rewards and figures -------------------------------------------------------------

    def _outcome(self) -> Outcome:
        return judge(
            self._task,
            self._truth,
            self._messages,
            free_text=self.free_text,
            search_schemes=self._search_schemes,
            void=self.cap_zero and self._is_capped(),
        )

    def _rewards(self) -> Mapping[str, float]:
        if not self._is_settled() and not self._is_capped():
            return {}
        grade = self._outcome().grade
        return dict.fromkeys(
            self.agents, grade.score if self.reward == "score" else float(grade.exact)
        )

    def _metrics(self) -> dict[str, Any]:
        outcome = self._outcome()
        grade = outcome.grade
        ended_by = None if self._ended_by is None else self.possible_agents[self._ended_by]
        answer = None if outcome.answer is None else json.dumps(outcome.answer)
        return {
            "success": grade.exact,
            "score": grade.score,
            "messages": sum(message.text is not None for message in self._messages),
            "exact": float(grade.exact),
            "literal": grade.literal,
            "weighted": grade.weighted,
            "scheme": grade.scheme,
            "exchanges": (len(self._messages) + 1) // 2 if self.mode == "pair" else 0,
            "ended_by": ended_by,
            "capped": self._is_capped(),
            "no_answer": outcome.answer is None,
            "answer": answer,
            "answer_source": outcome.source,
        }

    # --- what agents are told ------------------------------------------------------------

    def _shown(self, agent: str) -> list[tuple[Facts, Seat]]:
        """The views that an agent sees, each with the seat whose wording it has."""
        seats: tuple[Seat | None, ...]
        if self.mode == "pair":
            seats = (SEATS[self.possible_agents.index(agent)],)
        elif self.mode != "solo_full":
            seats = (1,) if self.mode == "solo_view1" else (2,)
        else:
            seats = SEATS if self.solo_render == "both_views" else (None,)
        return [(self._task.facts(self._truth, seat), seat or 1) for seat in seats]

    def _instructions(self, agent: str) -> str:
        task, solo, compact = self._task, self.mode != "pair", self.text == "compact"
        draw = task.compact_view_text if compact else task.view_text
        brief = prompts.Brief(
            rule=task.compact_rule if compact else task.rule,
            split=self._masked(task.compact_split if compact else task.split),
            views=[
                self._masked(draw(facts, seat, self.friction)) for facts, seat in self._shown(agent)
            ],
            answer_form=task.answer_form(self.friction),
            answer_note=(task.compact_note if compact else task.answer_note)(self.friction),
            max_exchanges=self.max_exchanges,
            clauses=self.clauses,
            move_by_move=self.move_by_move,
        )
        if compact:
            return prompts.compact_instructions(brief, solo=solo)
        return prompts.solo_instructions(brief) if solo else prompts.pair_instructions(brief)

    def _masked(self, text: str) -> str:
        return with_mask(text, self.mask_char) if self._task.masks else text

    def _static_view(self, agent: str) -> dict[str, Any]:
        shown = self._shown(agent)
        return {
            "task": self._task.name,
            "mode": self.mode,
            "friction": self.friction,
            "views": [facts for facts, _ in shown],
            "seats": [seat for _, seat in shown],
            "answer_fields": list(self._task.answer_fields),
            "max_exchanges": self.max_exchanges,
            "clauses": self.clauses,
            "move_by_move": self.move_by_move,
        }

    def _observe(self, agent: str) -> Observed:
        if self.mode != "pair":
            return self._observe_solo()
        if not self._messages:
            first = agent == self.possible_agents[0]
            text = prompts.SPEAK_FIRST if first else prompts.LISTEN_FIRST
            return Observed(prompts.FROM_USER + text, {"message": None})
        last = self._messages[-1]
        if self.possible_agents[last.agent] == agent:
            refused = last.text is None and bool(self.agents)
            return Observed(prompts.FROM_USER + prompts.REFUSED if refused else "", {})
        said = prompts.NO_MESSAGE if last.text is None else prompts.relayed(last.text)
        text = prompts.FROM_PARTNER + said
        if not self.agents:
            text += f"\n{prompts.FROM_USER}{prompts.DIALOGUE_OVER}"
        return Observed(text, {"message": last.text})

    def _observe_solo(self) -> Observed:
        if not self._messages:
            return Observed(prompts.NOW_ANSWER, {"critic": False})
        if not self.agents:
            return Observed("", {})
        text = prompts.COMPACT_CRITIC if self.text == "compact" else prompts.CRITIC
        return Observed(text, {"critic": True})

    def _max_observation_chars(self) -> int:
        # The shortest line with a mark has seven characters and gets two more.
        return MAX_INSTRUCTION_CHARS + self.max_message_chars * 9 // 7 + 500

    # --- state, samples, drawing ---------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        return {
            "task": self._task.name,
            "mode": self.mode,
            "views": [self._task.facts(self._truth, seat) for seat in SEATS],
            "messages": [asdict(message) for message in self._messages],
            "ended_by": self._ended_by,
        }

    def _max_state_chars(self) -> int:
        # JSON writes a control character with six characters.
        turns = max(self.limit, len(self._messages))
        return 6 * (2 * MAX_INSTRUCTION_CHARS + turns * (self.max_message_chars + 50))

    def _sampler(self, agent: str) -> Sampler:
        return SmallTalk()

    def random_action(self, agent: str, rng: np.random.Generator) -> str:
        """Draw small talk or, now and then, a random answer that ends the dialogue."""
        if rng.random() >= RANDOM_ANSWER_RATE:
            return SmallTalk()(rng)
        answer = json.dumps(self._task.random_answer(rng))
        return f"{prompts.ANSWER_TAG} {answer}\n{prompts.END_WORD}"

    def _render_text(self) -> str:
        lines = [f"{self._task.title} ({self.mode}), {len(self._messages)} messages"]
        for agent in self.possible_agents:
            for facts, seat in self._shown(agent):
                lines.append(f"--- {agent}, view {seat}")
                lines.append(self._masked(self._task.view_text(facts, seat, self.friction)))
        for message in self._messages:
            said = prompts.NO_MESSAGE if message.text is None else message.text
            lines.append(f"--- {self.possible_agents[message.agent]}: {said}")
        return "\n".join(lines)
