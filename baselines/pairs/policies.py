"""The seats of a pair as rules: one shares everything, one says nothing.

``pairs:share-and-solve``: the initiator states its view and asks for the partner's. Whoever has
read both views solves their union and proposes the answer; the other derives it again and ends
the dialogue. What a seat knows of the other view comes from the partner's messages and nothing
else, so the score of 1.0 shows what the text channel carries: a collaboration tax of zero.

``pairs:one-view``: the initiator solves a guess at the hidden half, the floor of every task.
"""

import json
from typing import Any

import numpy as np

from coordgym.contract.base import Info
from coordgym.policies.protocol import Policy, per_agent
from coordgym.silo_env.pairs.dialogue.extraction import final_answer
from coordgym.silo_env.pairs.task import Answer, Facts, find_task
from coordgym.silo_env.pairs.texts import ANSWER_TAG, END_WORD

MAX_REQUESTS = 3
"""Messages that wait for the partner's view before the seat answers with a guess."""
MAX_PROPOSALS = 3
"""Proposals that wait for the partner's consent before the seat ends the dialogue itself."""

COMBINED = "Combined state from both views:"


class ShareAndSolve:
    """One seat of the pair, or the agent of a solo mode.

    Args:
        agent: The seat's id; both seats play alike.
        info: The agent's info at reset, with its own view.
        rng: Draws the guess that is made if the partner never states its view.
    """

    def __init__(self, agent: str, info: Info, rng: np.random.Generator) -> None:
        view = info["view"]
        self._task = find_task(view["task"])
        self._solo = view["mode"] != "pair"
        self._own: list[Facts] = view["views"]
        self._rng = rng
        self._instance: Any = self._task.merge(self._own)
        self._requests = 0
        self._proposals = 0

    def act(self, observation: str, info: Info) -> str:
        """Answer the partner's last message, or the task alone in solo modes."""
        if self._solo:
            return _answer_line(self._best_answer())
        message: str = info["view"].get("message") or ""
        if self._instance is None:
            stated = self._task.read_view(message.partition(COMBINED)[0])
            self._instance = None if stated is None else self._task.merge([*self._own, stated])
        if self._instance is None:
            return self._request()
        proposed = final_answer(message, self._task.answer_fields)
        if proposed is not None and self._task.grade(self._instance, proposed).exact:
            return self._confirm(proposed)
        return self._propose()

    def _request(self) -> str:
        self._requests += 1
        if self._requests > MAX_REQUESTS:
            return f"{_answer_line(self._best_answer())}\n{END_WORD}"
        return (
            f"From my view:\n{self._statement()}\n"
            "Please state everything that your view shows, in the same form."
        )

    def _propose(self) -> str:
        self._proposals += 1
        union = self._task.view_text(self._task.facts(self._instance, None), 1, 0)
        proposal = (
            f"From my view:\n{self._statement()}\n{COMBINED}\n{union}\n"
            f"{_answer_line(self._best_answer())}"
        )
        return f"{proposal}\n{END_WORD}" if self._proposals > MAX_PROPOSALS else proposal

    def _confirm(self, answer: Answer) -> str:
        steps = "; ".join(self._task.check_steps(self._instance, answer))
        return f"I derived it again from both views: {steps}.\n{_answer_line(answer)}\n{END_WORD}"

    def _statement(self) -> str:
        """Return the own view in words that the partner's ``read_view`` understands."""
        return self._task.view_text(self._own[0], 1, 0)

    def _best_answer(self) -> Answer:
        """Return the solution of what is known; of a guess where the other view is unknown."""
        instance = self._instance
        if instance is None:
            instance = self._task.guess(self._own[0], self._rng)
        return self._task.solve(instance)


class OneView:
    """One seat that answers at once with the solution of a guess at the hidden half.

    Args:
        agent: The seat's id; both seats play alike.
        info: The agent's info at reset, with its own view.
        rng: Draws the guess.
    """

    def __init__(self, agent: str, info: Info, rng: np.random.Generator) -> None:
        view = info["view"]
        task = find_task(view["task"])
        instance = task.merge(view["views"])
        if instance is None:
            instance = task.guess(view["views"][0], rng)
        self._answer = task.solve(instance)

    def act(self, observation: str, info: Info) -> str:
        """End the dialogue with the answer."""
        return f"{_answer_line(self._answer)}\n{END_WORD}"


def _answer_line(answer: Answer) -> str:
    return f"{ANSWER_TAG} {json.dumps(answer)}"


def share_and_solve() -> Policy:
    """State the own view, solve the union of both, have it derived again, agree."""
    return per_agent(ShareAndSolve, "pairs:share-and-solve", family="pairs")


def one_view() -> Policy:
    """Answer at once with the solution of a guess at the hidden half: the floor."""
    return per_agent(OneView, "pairs:one-view", family="pairs")
