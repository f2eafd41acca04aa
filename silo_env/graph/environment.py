"""The graph environment: synchronous message rounds on a network, then one answer each.

Rules: in each of R rounds every agent writes to its neighbours at the same time; messages
arrive at the start of the next round. After R rounds every agent gives one final answer.
Observation: messages by sender, silent neighbours, rounds left. Action: prose with a JSON
object {neighbour: text}, in the last step prose with ``### Final Answer ###`` and an option.
A step in which somebody's text can't be parsed is followed by a repair step, in which only
these agents act and the round stands still, at most ``retries`` times in a row; then they
stay silent. Reward: to everybody at the end, 1 or 0 for ``success`` (default) or the graded
``score``. End: after the answers, in (R + 1)(1 + retries) steps at most.
Source: AgentsNet (arXiv 2507.08616).
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, Unpack

import numpy as np

from coordgym.contract.base import Observed, TextParallelEnv
from coordgym.contract.options import BaseOptions
from coordgym.silo_env.graph import texts as wording
from coordgym.silo_env.graph.instance import LOSS_STREAM, Instance, draw_instance, read_instance
from coordgym.silo_env.graph.mail import Mail
from coordgym.silo_env.graph.networks.network import MAX_NAME_CHARS
from coordgym.silo_env.graph.options import GraphConfig
from coordgym.silo_env.graph.parsing import (
    Dropped,
    ParsedMessages,
    dropped_error,
    parse_answer,
    parse_messages,
)
from coordgym.silo_env.graph.rendering import draw_text
from coordgym.silo_env.graph.sampling import GraphSampler

FIXED_TEXT_CHARS = 6_000
"""More than the instructions' and a round's own words, without names, options and messages."""
JSON_ESCAPE_CHARS = 6
"""A control character takes up to so many characters in JSON."""


class Reading(NamedTuple):
    """An agent's action as read: messages, or an answer, or neither with the reason."""

    messages: dict[str, str]
    dropped: tuple[Dropped, ...]
    answer: str | None
    failed: bool
    error: str | None


class GraphEnv(TextParallelEnv):
    """Coordination of agents on a network.

    Args:
        task: ``coloring``, ``leader_election``, ``consensus``, ``matching`` or
            ``vertex_cover``.
        n_agents: Agents, 4..10,000; None = 8, or the size of ``graph``.
        topology: ``ws`` (Watts–Strogatz), ``ba`` (Barabási–Albert) or ``dt`` (Delaunay).
        graph: A fixed network instead: a ``networkx.Graph`` or node-link JSON, with names as
            node attributes ``name``, or string nodes, or none (then names are drawn).
        rounds: ``"paper"``, ``"log"`` or a number of rounds ≥ 1; a network that is not
            connected can't have ``"paper"``.
        know_n: Whether agents are told the size of the network.
        retries: Times an agent may repeat a text that can't be parsed, 0..10.
        max_message_chars: Longest message, 1..100,000 characters; longer ones aren't sent.
        byzantine: Agents, drawn by the seed, that the verdict leaves out; nobody is told.
            ``PolicyMap`` lets its policy ``"byzantine"`` play them.
        loss: Probability that a message is lost on its way.
        inputs: In consensus, whether each agent has a private bit and the agreed value must
            be somebody's bit.
        reward: ``"success"`` or ``"score"``.
        max_cycles: Limit on steps; None = (R + 1)(1 + retries).
        **base: Options that all environments share, see ``TextParallelEnv``.

    Raises:
        ConfigError: If a value is not allowed, or two contradict each other.
    """

    family = "graph"
    metadata = {  # PettingZoo's own declaration
        "name": "coordgym_graph_v0",
        "render_modes": ["ansi", "human", "rgb_array"],
        "render_fps": 1,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        task: str = "coloring",
        *,
        n_agents: int | None = None,
        topology: str = "ws",
        graph: object = None,
        rounds: int | str = "paper",
        know_n: bool = True,
        retries: int = 1,
        max_message_chars: int = 4_000,
        byzantine: int = 0,
        loss: float = 0.0,
        inputs: bool = False,
        reward: str = "success",
        **base: Unpack[BaseOptions],
    ) -> None:
        self._config = GraphConfig(
            task=task,
            n_agents=n_agents,
            topology=topology,
            graph=graph,
            rounds=rounds,
            know_n=know_n,
            retries=retries,
            max_message_chars=max_message_chars,
            byzantine=byzantine,
            loss=loss,
            inputs=inputs,
            reward=reward,
        )
        super().__init__(n_agents=self._config.size, **base)
        self._index = {agent: i for i, agent in enumerate(self.possible_agents)}
        self._world: Instance | None = None

    # --- the episode ---------------------------------------------------------------------

    @property
    def world(self) -> Instance:
        """The instance of the running episode.

        Raises:
            ResetNeededError: Before the first reset.
        """
        if self._world is None:
            self._require_reset()
            raise RuntimeError("the environment has no instance")
        return self._world

    @property
    def byzantine_agents(self) -> tuple[str, ...]:
        """Ids of the agents that the verdict leaves out; agents are not told."""
        return tuple(self.possible_agents[i] for i in self.world.byzantine)

    @property
    def answers(self) -> dict[str, str | None]:
        """The answers so far, by agent's name; None = no valid answer."""
        return dict(zip(self.world.network.names, self._answers, strict=True))

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        config = self._config
        if given is None:
            world = draw_instance(config, self.rng)
        else:
            world = read_instance(given, config.task, config.rounds, self.n_agents)
        count = self.n_agents
        self._world = world
        self._private = self._tell_everybody(world)
        self._mail = Mail(world.network)
        self._dropped: list[tuple[Dropped, ...]] = [()] * count
        self._answers: list[str | None] = [None] * count
        self._repairing: frozenset[str] = frozenset()
        self._tries = 0
        self._round_done = False
        self._answered = False
        self._parse_failures = 0
        self._failed_messages = [0] * count
        self._failed_answers = [0] * count
        return world.to_json()

    def _tell_everybody(self, world: Instance) -> list[wording.Private]:
        """Work out what each agent knows from the start."""
        config = self._config
        n_groups = world.n_groups
        private = []
        for i, around in enumerate(world.network.neighbours):
            neighbours = tuple(world.network.names[j] for j in around)
            private.append(
                wording.Private(
                    task=world.task,
                    name=world.network.names[i],
                    neighbours=neighbours,
                    options=world.task.options(neighbours, n_groups),
                    rounds=world.rounds,
                    n_agents=self.n_agents if config.know_n else None,
                    n_groups=n_groups if config.task == "coloring" else None,
                    bit=world.inputs[i] if world.inputs else None,
                    max_message_chars=config.max_message_chars,
                )
            )
        return private

    def _active(self) -> Collection[str]:
        return self._repairing or self.agents

    def _answering(self) -> bool:
        return self.round >= self.world.rounds

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        errors: dict[str, str | None] = {}
        failed = []
        for agent, text in actions.items():
            i = self._index[agent]
            reading = self._read(i, text)
            self._dropped[i] = reading.dropped
            if reading.failed:
                failed.append(agent)
            elif self._answering():
                self._answers[i] = reading.answer
            else:
                self._mail.outboxes[i] = reading.messages
            if reading.error is not None:
                errors[agent] = reading.error
        self._parse_failures += len(failed)
        self._round_done = not failed or self._tries >= self._config.retries
        if not self._round_done:
            self._repairing = frozenset(failed)
            self._tries += 1
            return errors
        self._repairing = frozenset()
        self._tries = 0
        self._finish_round(failed)
        return errors

    def _read(self, i: int, text: str | None) -> Reading:
        """Parse one agent's text as what is expected now; None is an unusable text."""
        me = self._private[i]
        if self._answering():
            if text is None:
                return Reading({}, (), None, True, None)
            answer = parse_answer(text, me.options)
            return Reading({}, (), answer.answer, answer.answer is None, answer.error)
        if text is None:
            # Who has nobody to write to has nothing to repair.
            return Reading({}, (), None, bool(me.neighbours), None)
        found: ParsedMessages = parse_messages(text, me.neighbours, me.max_message_chars)
        error = found.error or dropped_error(found.dropped, me.neighbours)
        return Reading(found.messages, found.dropped, None, found.error is not None, error)

    def _finish_round(self, failed: list[str]) -> None:
        counts = self._failed_answers if self._answering() else self._failed_messages
        for agent in failed:
            counts[self._index[agent]] += 1
        if self._answering():
            self._answered = True
        else:
            self._mail.deliver(self._lost_edges())

    def _lost_edges(self) -> list[bool] | None:
        """Decide for every directed edge whether this round's message is lost."""
        if not self._config.loss:
            return None
        draws = self.rng(LOSS_STREAM, self.round).random(2 * len(self.world.network.edges))
        return [bool(draw < self._config.loss) for draw in draws]

    def _advances_round(self) -> bool:
        return self._round_done

    # --- verdict -------------------------------------------------------------------------

    def _finished(self) -> Collection[str]:
        return self.agents if self._answered else ()

    def _rewards(self) -> Mapping[str, float]:
        if not self._answered and self.steps < self.limit:
            return {}
        verdict = self.world.judge(self.answers)
        value = verdict.score if self._config.reward == "score" else float(verdict.success)
        return dict.fromkeys(self.agents, value)

    def _metrics(self) -> dict[str, Any]:
        mail = self._mail
        return {
            **self.world.judge(self.answers)._asdict(),
            "messages": mail.sent,
            "characters": mail.characters,
            "lost_messages": mail.lost,
            "parse_failures": self._parse_failures,
            "failed_messages": sum(self._failed_messages),
            "failed_answers": sum(self._failed_answers),
            "silent_agents": mail.spoke.count(False),
        }

    # --- what agents are told ------------------------------------------------------------

    def _instructions(self, agent: str) -> str:
        me = self._private[self._index[agent]]
        if self.text == "compact":
            return wording.compact_instructions(me)
        return wording.full_instructions(me)

    def _static_view(self, agent: str) -> dict[str, Any]:
        facts = self._private[self._index[agent]].view()
        return {**facts, "max_action_chars": self.max_action_chars}

    def _observe(self, agent: str) -> Observed:
        if not self.agents:
            return self._farewell(self._index[agent])
        if self._repairing:
            return self._ask_again(agent)
        i = self._index[agent]
        me = self._private[i]
        inbox = self._mail.inboxes[i]
        silent: tuple[str, ...] = ()
        if self.round and len(inbox) < len(me.neighbours):
            silent = tuple(name for name in me.neighbours if name not in inbox)
        news = wording.News(self.round, me.rounds, inbox, silent, self._dropped[i])
        tell = wording.compact_news if self.text == "compact" else wording.full_news
        return Observed(tell(news), news.view())

    def _ask_again(self, agent: str) -> Observed:
        if agent not in self._repairing:
            return Observed("", {})
        answering = self._answering()
        tries_left = self._config.retries - self._tries + 1
        tell = wording.compact_repair if self.text == "compact" else wording.full_repair
        view = {
            "phase": "answer" if answering else "message",
            "repair": True,
            "tries_left": tries_left,
        }
        return Observed(tell(answering, tries_left), view)

    def _farewell(self, i: int) -> Observed:
        answer = self._answers[i]
        text = "The episode is over. " + (
            f"Your final answer: {answer}." if answer is not None else "You gave no valid answer."
        )
        return Observed(text, {"phase": "over", "answer": answer})

    def _check(self, agent: str, text: str) -> str | None:
        return self._read(self._index[agent], text).error

    # --- spaces, state, rendering --------------------------------------------------------

    def _sampler(self, agent: str) -> GraphSampler:
        if self._world is None:
            return GraphSampler((), (), 0, self.max_action_chars)
        me = self._private[self._index[agent]]
        return GraphSampler(me.neighbours, me.options, me.max_message_chars, self.max_action_chars)

    def _default_max_cycles(self) -> int:
        if self._world is not None:
            rounds = self._world.rounds
        elif isinstance(self._config.rounds, int):
            rounds = self._config.rounds
        else:
            rounds = 2 * self.n_agents
        return (rounds + 1) * (1 + self._config.retries)

    def _max_observation_chars(self) -> int:
        message = min(self._config.max_message_chars, self.max_action_chars) + MAX_NAME_CHARS
        per_neighbour = JSON_ESCAPE_CHARS * message + 6 * MAX_NAME_CHARS
        return FIXED_TEXT_CHARS + self.n_agents * per_neighbour

    def _max_state_chars(self) -> int:
        per_agent = JSON_ESCAPE_CHARS * self.max_action_chars + 20 * self.n_agents
        names = self.n_agents * (2 * JSON_ESCAPE_CHARS * MAX_NAME_CHARS + 20)
        return FIXED_TEXT_CHARS + self.n_agents * (2 * per_agent + names)

    def _state(self) -> dict[str, Any]:
        world = self.world
        return {
            "task": world.task.name,
            "round": self.round,
            "rounds": world.rounds,
            "names": list(world.network.names),
            "edges": [list(edge) for edge in world.network.edges],
            "inputs": list(world.inputs) if world.inputs else None,
            "inboxes": [dict(inbox) for inbox in self._mail.inboxes],
            "waiting": [dict(outbox) for outbox in self._mail.outboxes],
            "given_answers": list(self._answers),
            "repairing": sorted(self._repairing, key=self._index.__getitem__),
        }

    def _render_text(self) -> str:
        return draw_text(self.world, self.round, self._mail.inboxes, self._answers)

    def _render_rgb(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        from coordgym.silo_env.graph.drawing import draw_network

        return draw_network(self.world, self._mail.inboxes, self._answers)
