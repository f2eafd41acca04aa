"""Tool handles: calls that are made inside a round and count as the round's action text.

A policy may make its calls one by one and see each result at once. A turn is one action all the
same: its text is the calls in their order and then what is given to ``step``, and everything
that holds for an action text (its bounds, its errors, its record) holds for that whole.
"""

from collections.abc import Mapping
from typing import Any

from coordgym.contract.arguments import require_agent
from coordgym.contract.base import Info, TextParallelEnv
from coordgym.errors import ActionError, ResetNeededError
from coordgym.parsing import valid_text
from coordgym.silo_env.compute.calls import UnwritableCallError, call_as_text
from coordgym.silo_env.compute.game import UNREADABLE_CALL, Game
from coordgym.silo_env.compute.turns import Function, parameter_names


class ToolHandles(TextParallelEnv):
    """What a computation environment offers to policies that call functions.

    A subclass sets ``_functions`` and, when an episode begins, ``_game``.
    """

    _functions: tuple[Function, ...] = ()
    _game: Game | None = None

    def call(self, agent: str, name: str, arguments: Mapping[str, Any]) -> str:
        """Make one call inside the present round and return its result at once.

        Reads see the files and messages as they stand in this round, with the agent's own
        changes; messages and writes take effect when ``step`` ends the round. The calls and the
        following action text form one action: a call for which ``max_action_chars`` leaves no
        room is not made, and if the text that follows leaves none, nothing of the turn is
        carried out, as with any action that is too long (``check_action`` tells it beforehand).

        Args:
            agent: an agent that acts now.
            name: one of the functions in ``tools(agent)``.
            arguments: JSON-able values by parameter name.

        Returns:
            The result, or a line that begins with "Error:".

        Raises:
            ActionError: if it is not this agent's turn or the arguments have no JSON form.
        """
        self._require_reset()
        if agent not in self.agents or agent not in self._active_now:
            raise ActionError(f"it is not {agent}'s turn; active now: {sorted(self._active_now)}")
        try:
            text = call_as_text(name, arguments, parameter_names(self._functions))
        except UnwritableCallError:
            return UNREADABLE_CALL
        problem = valid_text(text, self.max_action_chars)
        if problem is not None:
            return f"Error: {problem}"
        if len(self._whole_action(agent, text)) > self.max_action_chars:
            return (
                f"Error: the calls of one round may have {self.max_action_chars} characters "
                "together; this one was not made"
            )
        return self._running.call(agent_index(agent), text)

    def called_text(self, agent: str) -> str:
        """The calls that an agent has made with :meth:``call`` in this round, as action text.

        Raises:
            ActionError: if there is no such agent.
        """
        require_agent(agent, self.possible_agents)
        return self._running.called(agent_index(agent))

    def tools(self, agent: str) -> list[dict[str, Any]]:
        """JSON schemas of the functions that an agent may call, as chat models take them."""
        require_agent(agent, self.possible_agents)
        return [function.schema() for function in self._functions]

    def step(
        self, actions: dict[str, str]
    ) -> tuple[dict[str, str], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]:
        """Apply one text per active agent, each behind the calls that the agent has made."""
        if self._game is not None and self._game.is_called and isinstance(actions, Mapping):
            actions = {agent: self._whole_action(agent, text) for agent, text in actions.items()}
        return super().step(actions)

    def check_action(self, agent: str, text: str) -> str | None:
        """Say what would be wrong with an action behind the calls made so far, or None."""
        if self._game is not None:
            text = self._whole_action(agent, text)
        return super().check_action(agent, text)

    def _whole_action(self, agent: str, text: Any) -> Any:
        """The text of the whole turn; what is no action at all is left for the base to refuse."""
        if agent not in self.agents or not isinstance(text, str):
            return text
        before = self.called_text(agent)
        return f"{before}\n{text}" if before and text else before or text

    @property
    def _running(self) -> Game:
        if self._game is None:
            raise ResetNeededError("call reset() first")
        return self._game


def agent_index(agent: str) -> int:
    """The number in an agent's name."""
    return int(agent.rpartition("_")[2])
