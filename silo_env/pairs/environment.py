"""The environment of the split-view pairs: a relayed dialogue that ends with one joint answer.

Observation: at reset the instructions with the agent's view, then the other agent's messages.
Action: one message. The agents take turns, ``agent_0`` first; one step is one message, and the
action of the agent that listens is ignored.
End: a message with ACTI! ends the dialogue; one whose own FINAL ANSWER can't be read is refused
instead. After ``max_exchanges`` messages of each agent it is truncated. In the solo modes one
agent answers and, with ``critic``, corrects its answer once.
Reward: at the end, to each agent, what the latest answer of the dialogue earns above the floor.
Source: The Collaboration Tax (Sun et al. 2026), sections 4 and 5, appendices F, G and I.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any, Unpack

import numpy as np

from coordgym.contract.base import Observed, TextParallelEnv
from coordgym.contract.rewards import Shaping
from coordgym.contract.spaces import Sampler
from coordgym.errors import InstanceError
from coordgym.silo_env.pairs import texts as prompts
from coordgym.silo_env.pairs.dialogue.extraction import ends_dialogue, unread_answer
from coordgym.silo_env.pairs.dialogue.outcome import Message, Outcome, end_of, judge
from coordgym.silo_env.pairs.dialogue.quotations import without_forms
from coordgym.silo_env.pairs.grids.drawings import with_mask
from coordgym.silo_env.pairs.instance import generate, read_instance
from coordgym.silo_env.pairs.metrics import episode_metrics
from coordgym.silo_env.pairs.options import (
    ONE_VIEW_MODES,
    PAIR,
    PairArguments,
    PairOptions,
    shared_options,
)
from coordgym.silo_env.pairs.rewards import earned, instance_floor
from coordgym.silo_env.pairs.sampling import SmallTalk, random_message
from coordgym.silo_env.pairs.task import SEATS, Answer, Facts, Seat

MAX_INSTRUCTION_CHARS = 40_000
"""Instructions of an instance that was given may not be longer, in code points."""


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
        reward: "success", "partial" or "shaped", see ``coordgym.contract.rewards``; "score" is
            "partial" and "exact" is "success", for the team; "gameable_score" is the published
            grade, which guesses from one view earn too, for comparison only.
        credit: "team" (default) or "seat", which pay the same: the answer is a joint one.
        **base: Options that all environments share, see ``TextParallelEnv``.

    Raises:
        ConfigError: A value is not allowed.
    """

    family = "pairs"
    options_type = PairOptions
    metadata = {  # PettingZoo's own declaration
        "name": "coordgym_pairs_v0",
        "render_modes": ["ansi", "human"],
        "render_fps": 1,
        "is_parallelizable": True,
    }

    def __init__(self, **options: Unpack[PairArguments]) -> None:
        self.options = PairOptions.from_kwargs(options)
        super().__init__(n_agents=1 if self.options.alone else 2, **shared_options(options))
        self._task = self.options.rules
        self._truth: Any = None
        self._messages: list[Message] = []
        self._end: int | None = None

    # --- the dialogue --------------------------------------------------------------------

    def _seed_name(self) -> str:
        return f"pairs/{self._task.name}"

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        if given is None:
            self._truth = generate(
                self._task, self.options.parameters, self.instance_rng(), self.options.max_floor
            )
        else:
            self._truth = read_instance(self._task.name, given)
        self._messages = []
        self._end = None
        self._instance_floor: float | None = None
        self._shaping: Shaping[str] = Shaping()
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
        refused = text is None or error is not None
        self._messages.append(Message(speaker, None if refused else text))
        self._end = end_of(self.options, self._messages, len(self._messages) - 1)
        return {agent: error} if refused else {}

    def _check(self, agent: str, text: str) -> str | None:
        if not text.strip():
            return "your message was empty"
        most = self.options.max_message_chars
        if len(text) > most:
            return (
                f"your message had {len(text)} characters and was not delivered; at most "
                f"{most} are allowed"
            )
        rules = self._task
        if self._would_end(text) and unread_answer(without_forms(rules, text), rules.answer_fields):
            return (
                "your final answer could not be read, so the message was not delivered: write "
                f"{prompts.ANSWER_TAG} and one JSON object with {' or '.join(rules.answer_fields)}"
            )
        return None

    def _would_end(self, text: str) -> bool:
        """Tell whether a message would be the last one, after which nothing can be put right."""
        return self.options.alone or ends_dialogue(text, self.options.acti_mode)

    def _active(self) -> Collection[str]:
        return [self.possible_agents[len(self._messages) % self.n_agents]]

    def _finished(self) -> Collection[str]:
        return () if self._end is None else self.possible_agents

    def _is_capped(self) -> bool:
        return self._end is None and self.steps >= self.limit

    def _default_max_cycles(self) -> int:
        options = self.options
        return options.solo_turns if options.alone else 2 * options.max_exchanges

    # --- rewards and figures -------------------------------------------------------------

    def outcome(self) -> Answer | None:
        """Return the answer that the dialogue has reached so far; None if there is none.

        Whether the dialogue ended in time (``cap_zero``) is not in it.
        """
        self._require_reset()
        return self._outcome().answer

    def _outcome(self) -> Outcome:
        return judge(self.options, self._truth, self._messages, capped=self._is_capped())

    def _rewards(self) -> Mapping[str, float]:
        over, name = self._end is not None or self._is_capped(), self.options.pays.name
        if not over and name != "shaped":
            return {}
        paid = earned(name, self._outcome().grade, self._floor(name))
        rewards = dict.fromkeys(self.agents, paid if over else 0.0)
        if name == "shaped":
            potentials = dict.fromkeys(self.agents, paid)
            for agent, difference in self._shaping.paid(potentials, over=over).items():
                rewards[agent] += difference
        return rewards

    def _floor(self, reward: str) -> float:
        """Return the floor of the instance, found when the first reward is paid above it."""
        if reward not in ("partial", "shaped"):
            return 0.0
        if self._instance_floor is None:
            self._instance_floor = instance_floor(
                self._task, self._truth, search_schemes=self.options.search_schemes
            )
        return self._instance_floor

    def _ended_by(self) -> int | None:
        """Return the index of the agent that ended the conversation."""
        return None if self.options.alone or self._end is None else self._messages[self._end].agent

    def _metrics(self) -> dict[str, Any]:
        ended_by = self._ended_by()
        return episode_metrics(
            self._messages,
            self._outcome(),
            alone=self.options.alone,
            ended_by=None if ended_by is None else self.possible_agents[ended_by],
        )

    # --- what agents are told ------------------------------------------------------------

    def _shown(self, agent: str) -> list[tuple[Facts, Seat]]:
        """Return the views that an agent sees, each with the seat whose wording it has."""
        seats: tuple[Seat | None, ...]
        if self.options.mode == PAIR:
            seats = (SEATS[self.possible_agents.index(agent)],)
        elif self.options.mode in ONE_VIEW_MODES:
            seats = (SEATS[ONE_VIEW_MODES.index(self.options.mode)],)
        else:
            seats = SEATS if self.options.solo_render == "both_views" else (None,)
        return [(self._task.facts(self._truth, seat), seat or 1) for seat in seats]

    def _instructions(self, agent: str) -> str:
        task, options, compact = self._task, self.options, self.text == "compact"
        draw = task.compact_view_text if compact else task.view_text
        brief = prompts.Brief(
            rule=task.compact_rule if compact else task.rule,
            split=self._masked(task.compact_split if compact else task.split),
            views=[
                self._masked(draw(facts, seat, options.friction))
                for facts, seat in self._shown(agent)
            ],
            answer_form=task.answer_form(options.friction),
            answer_note=(task.compact_note if compact else task.answer_note)(options.friction),
            max_exchanges=options.max_exchanges,
            clauses=options.clauses,
            move_by_move=options.move_by_move,
        )
        if compact:
            return prompts.compact_instructions(brief, solo=options.alone)
        return (prompts.solo_instructions if options.alone else prompts.pair_instructions)(brief)

    def _masked(self, text: str) -> str:
        return with_mask(text, self.options.mask_char) if self._task.masks else text

    def _static_view(self, agent: str) -> dict[str, Any]:
        shown, options = self._shown(agent), self.options
        return {
            "task": self._task.name,
            "mode": options.mode,
            "friction": options.friction,
            "views": [facts for facts, _ in shown],
            "seats": [seat for _, seat in shown],
            "answer_fields": list(self._task.answer_fields),
            "max_exchanges": options.max_exchanges,
            "clauses": options.clauses,
            "move_by_move": options.move_by_move,
        }

    def _observe(self, agent: str) -> Observed:
        if self.options.alone:
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
        return MAX_INSTRUCTION_CHARS + self.options.max_message_chars * 9 // 7 + 500

    # --- state, samples, drawing ---------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        return {
            "task": self._task.name,
            "mode": self.options.mode,
            "views": [self._task.facts(self._truth, seat) for seat in SEATS],
            "messages": [asdict(message) for message in self._messages],
            "ended_by": self._ended_by(),
        }

    def _max_state_chars(self) -> int:
        # JSON writes a control character with six characters.
        turns = max(self.limit, len(self._messages))
        return 6 * (2 * MAX_INSTRUCTION_CHARS + turns * (self.options.max_message_chars + 50))

    def _sampler(self, agent: str) -> Sampler:
        return SmallTalk()

    def random_action(self, agent: str, rng: np.random.Generator) -> str:
        """Draw small talk or, now and then, a random answer that ends the dialogue."""
        return random_message(self._task, rng)

    def _render_text(self) -> str:
        lines = [f"{self._task.title} ({self.options.mode}), {len(self._messages)} messages"]
        for agent in self.possible_agents:
            for facts, seat in self._shown(agent):
                lines.append(f"--- {agent}, view {seat}")
                lines.append(self._masked(self._task.view_text(facts, seat, self.options.friction)))
        for message in self._messages:
            said = prompts.NO_MESSAGE if message.text is None else message.text
            lines.append(f"--- {self.possible_agents[message.agent]}: {said}")
        return "\n".join(lines)
