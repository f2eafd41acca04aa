"""The graph environment: synchronous message rounds on a network, then one answer each.

Rules: in each of R rounds every agent writes to its neighbours at the same time; messages
arrive at the start of the next round. After R rounds every agent gives one final answer.
Observation: messages by sender, silent neighbours, rounds left. Action: prose with a JSON
object {neighbour: text}, in the last step prose with ``### Final Answer ###`` and an option.
Whose text can't be parsed may write again within its turn, at most ``retries`` times, if
whoever plays asks it (``ask_again``); then it stays silent. Others see nothing of it. Reward:
to everybody at the end, 1 or 0 for ``success`` (default) or the graded ``score``. End: after
the answers, in R + 1 steps.
Source: AgentsNet (arXiv 2507.08616).
"""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any, Unpack

from coordgym.contract.base import Observed, TextParallelEnv
from coordgym.contract.hooks import JSON_ESCAPE_CHARS
from coordgym.contract.options import BaseOptions
from coordgym.silo_env.graph.drawing import Picture, draw_network, draw_text
from coordgym.silo_env.graph.game import Game
from coordgym.silo_env.graph.instance import (
    LOSS_STREAM,
    NETWORKS,
    Instance,
    draw_instance,
    read_instance,
)
from coordgym.silo_env.graph.metrics import episode_metrics
from coordgym.silo_env.graph.networks.network import MAX_NAME_CHARS
from coordgym.silo_env.graph.options import GraphOptions
from coordgym.silo_env.graph.rewards import Payment
from coordgym.silo_env.graph.sampling import GraphSampler
from coordgym.silo_env.graph.texts import TEXTS, News, farewell, private_facts

FIXED_TEXT_CHARS = 6_000
"""More than the instructions' and a round's own words, without names, options and messages."""


class GraphEnv(TextParallelEnv):
    """Coordination of agents on a network.

    Args:
        task: A name in ``TASKS``, such as ``"coloring"``.
        n_agents: Agents, 4..10,000; None = 8, or the size of ``graph``.
        topology: ``ws`` (Watts–Strogatz), ``ba`` (Barabási–Albert) or ``dt`` (Delaunay).
        graph: A fixed network instead: a ``networkx.Graph`` or node-link JSON, with names as
            node attributes ``name``, or string nodes, or none (then names are drawn).
        rounds: ``"paper"``, ``"log"`` or a number of rounds ≥ 1; a network that is not
            connected can't have ``"paper"``.
        know_n: Whether agents are told the size of the network.
        retries: Times an agent may repeat a text that can't be parsed within its turn, 0..10.
        max_message_chars: Longest message, 1..100,000 characters; longer ones aren't sent.
        byzantine: Agents, drawn by the seed, that the verdict leaves out; nobody is told.
            ``PolicyMap`` lets its policy ``"byzantine"`` play them.
        loss: Probability that a message is lost on its way.
        inputs: In consensus, whether each agent has a private bit that the agreed value depends
            on: ``"majority"`` (it is most agents' bit, or 0 if both are equally frequent; True
            means this) or ``"any"`` (it is somebody's bit, which a constant mostly is).
        reward: ``"success"`` (all is right), ``"partial"`` (how much is, above what silence
            reaches), ``"shaped"`` (the same, with differences of a potential on the way),
            ``"score"`` (``"partial"`` for the team), or ``"gameable_score"`` (as published; for
            comparison only).
        credit: Whom it pays: ``"team"`` everybody alike, ``"seat"`` those whose own part is
            right; None = ``"team"``.
        max_cycles: Limit on steps; None = R + 1.
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
        inputs: bool | str = False,
        reward: str = "success",
        credit: str | None = None,
        **base: Unpack[BaseOptions],
    ) -> None:
        self._options = GraphOptions(
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
            credit=credit,
        )
        super().__init__(n_agents=self._options.size, **base)
        self._index = {agent: i for i, agent in enumerate(self.possible_agents)}
        self._running: Game | None = None
        self._payment: Payment

    # --- the episode ---------------------------------------------------------------------

    @property
    def _game(self) -> Game:
        if self._running is None:
            self._require_reset()
            raise RuntimeError("the environment has no instance")
        return self._running

    @property
    def world(self) -> Instance:
        """The instance of the running episode.

        Raises:
            ResetNeededError: Before the first reset.
        """
        return self._game.world

    @property
    def byzantine_agents(self) -> tuple[str, ...]:
        """Ids of the agents that the verdict leaves out; agents are not told."""
        return tuple(self.possible_agents[i] for i in self.world.byzantine)

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Return the byzantine agents, whom the verdict leaves out."""
        return {"byzantine": () if self._running is None else self.byzantine_agents}

    @property
    def answers(self) -> dict[str, str | None]:
        """The answers so far, by agent's name; None = no valid answer."""
        return self._game.answers_by_name()

    def outcome(self) -> dict[str, str | None]:
        """Return the answers so far, by agent's name; None = no valid answer."""
        return self.answers

    def _seed_name(self) -> str:
        return f"graph/{self._options.task}"

    def _start(self, given: dict[str, Any] | None) -> dict[str, Any]:
        options = self._options
        if given is None:
            world = draw_instance(options, partial(self.rng, seed_name=NETWORKS), self.rng)
        else:
            world = read_instance(
                given, options.task, options.rounds, self.n_agents, options.input_rule
            )
        self._running = Game(world, options.retries, options.max_message_chars)
        self._payment = Payment(options.paid, world, self.possible_agents)
        self._private = [
            private_facts(
                world, i, know_n=options.know_n, max_message_chars=options.max_message_chars
            )
            for i in range(self.n_agents)
        ]
        return world.to_json()

    def _apply(self, actions: dict[str, str | None]) -> Mapping[str, str | None]:
        texts = {self._index[agent]: text for agent, text in actions.items()}
        errors = self._game.take(texts, self._lost_messages)
        return {self.possible_agents[i]: error for i, error in errors.items()}

    def _lost_messages(self) -> list[bool] | None:
        """Decide for every directed edge whether this round's message is lost."""
        if not self._options.loss:
            return None
        draws = self.rng(LOSS_STREAM, self.round).random(2 * len(self.world.network.edges))
        return [bool(draw < self._options.loss) for draw in draws]

    def _check(self, agent: str, text: str) -> str | None:
        return self._game.read(self._index[agent], text).error

    def _refused(self, agent: str, text: str | None) -> str | None:
        return self._game.refused(self._index[agent], text)

    def _finished(self) -> Collection[str]:
        return self.agents if self._game.is_over else ()

    def _rewards(self) -> Mapping[str, float]:
        over = self._game.is_over or self.steps >= self.limit
        return self._payment.pay(self._game, over=over)

    def _metrics(self) -> dict[str, Any]:
        return episode_metrics(self._game)

    # --- what agents are told ------------------------------------------------------------

    def _instructions(self, agent: str) -> str:
        return TEXTS[self.text].instructions(self._private[self._index[agent]])

    def _static_view(self, agent: str) -> dict[str, Any]:
        facts = self._private[self._index[agent]].view()
        return {**facts, "max_action_chars": self.max_action_chars}

    def _observe(self, agent: str) -> Observed:
        i, game = self._index[agent], self._game
        if not self.agents:
            answer = game.answers[i]
            return Observed(farewell(answer), {"phase": "over", "answer": answer})
        if game.tries[i]:
            return self._repair(i)
        me, inbox = self._private[i], game.mail.inboxes[i]
        silent: tuple[str, ...] = ()
        if game.round and len(inbox) < len(me.neighbours):
            silent = tuple(name for name in me.neighbours if name not in inbox)
        news = News(game.round, me.rounds, inbox, silent, game.dropped[i])
        return Observed(TEXTS[self.text].news(news), news.view())

    def _repair(self, i: int) -> Observed:
        game = self._game
        tries_left = game.tries_left(i)
        view = {
            "phase": "answer" if game.is_answering else "message",
            "repair": True,
            "tries_left": tries_left,
        }
        return Observed(TEXTS[self.text].repair(game.is_answering, tries_left), view)

    # --- spaces, state, rendering --------------------------------------------------------

    def _sampler(self, agent: str) -> GraphSampler:
        if self._running is None:
            return GraphSampler((), (), 0, self.max_action_chars)
        me = self._private[self._index[agent]]
        return GraphSampler(me.neighbours, me.options, me.max_message_chars, self.max_action_chars)

    def _default_max_cycles(self) -> int:
        if self._running is not None:
            rounds = self._running.world.rounds
        elif isinstance(self._options.rounds, int):
            rounds = self._options.rounds
        else:
            rounds = 2 * self.n_agents
        return rounds + 1

    def _max_observation_chars(self) -> int:
        message = min(self._options.max_message_chars, self.max_action_chars) + MAX_NAME_CHARS
        per_neighbour = JSON_ESCAPE_CHARS * message + 6 * MAX_NAME_CHARS
        return FIXED_TEXT_CHARS + self.n_agents * per_neighbour

    def _max_state_chars(self) -> int:
        per_agent = JSON_ESCAPE_CHARS * self.max_action_chars + 20 * self.n_agents
        names = self.n_agents * (2 * JSON_ESCAPE_CHARS * MAX_NAME_CHARS + 20)
        return FIXED_TEXT_CHARS + self.n_agents * (2 * per_agent + names)

    def _state(self) -> dict[str, Any]:
        return self._game.to_json()

    def _render_text(self) -> str:
        return draw_text(self.world, self.round, self._game.mail.inboxes, self._game.answers)

    def _render_rgb(self) -> Picture:
        return draw_network(self.world, self._game.mail.inboxes, self._game.answers)
