"""One agent's post office: the same letters over all three protocols, within the limits.

Letters hold JSON. Over files a letter is a file whose name tells author and addressee.
Long letters travel in numbered parts.
"""

import json
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

_PLAIN = re.compile(r"[^'\\\n\r]*\Z")
_PART = re.compile(r"([a-z]+) (\d{1,9}) (\d{1,9})/(\d{1,9}) (.*)\Z", re.DOTALL)
_FILE = re.compile(r"letter-(\d+)-(\d+)-to-(all|\d+)\Z")
HEADER_CHARS = 48
ACTION_RESERVE = 200
"""Characters of an action kept for the calls that end it, besides a submitted answer."""


class Letter(NamedTuple):
    """What an agent tells about the agent ``about``.

    Attributes:
        kind: One lower-case word.
        about: An agent's id.
        content: JSON-able.
    """

    kind: str
    about: int
    content: Any


class Post:
    """Sends and collects letters for one agent.

    Args:
        view: The agent's view at reset, with the protocol and its limits.
    """

    def __init__(self, view: Mapping[str, Any]) -> None:
        self.me: int = view["agent_id"]
        self.n_agents: int = view["n_agents"]
        self.neighbours: list[int] | None = view["neighbours"]
        self._protocol: str = view["protocol"]
        self._pull: bool = view["delivery"] == "pull" and self._protocol != "shared_files"
        self._max_calls: int = view["max_calls"]
        self._max_message_chars: int = view["max_message_chars"]
        self._max_action_chars: int = view["max_action_chars"]
        self._outbox: deque[str] = deque()
        self._written = 0
        self._unread: dict[str, None] = {}
        self._list_again = False
        self._parts: dict[tuple[str, int], dict[int, str]] = {}

    @property
    def others(self) -> Sequence[int]:
        """Whom the agent reaches directly."""
        if self.neighbours is not None:
            return self.neighbours
        return [agent for agent in range(self.n_agents) if agent != self.me]

    def send(self, letter: Letter, to: Iterable[int] | None = None) -> None:
        """Queue a letter for some agents, None = all in reach (always so with broadcasts)."""
        size = self._max_message_chars - HEADER_CHARS
        whole = as_json(letter.content)
        texts = [whole[i : i + size] for i in range(0, len(whole), size)]
        for number, text in enumerate(texts, start=1):
            content = f"{letter.kind} {letter.about} {number}/{len(texts)} {text}"
            self._outbox.extend(self._calls(_quoted(content), to))

    def _calls(self, quoted: str, to: Iterable[int] | None) -> Iterable[str]:
        if self._protocol == "broadcast":
            return [f"broadcast_message({quoted})"]
        if self._protocol == "p2p":
            return [f"send_message({agent}, {quoted})" for agent in (to or self.others)]
        calls = []
        target: int | str
        for target in to or ("all",):
            calls.append(f"write_file('letter-{self.me}-{self._written}-to-{target}', {quoted})")
            self._written += 1
        return calls

    def collect(self, view: Mapping[str, Any]) -> list[Letter]:
        """Return the letters that are complete with what the present view brings, in order."""
        contents = [message["content"] for message in view.get("messages", ())]
        self._note_files(view.get("files", ()))
        for result in view.get("results", ()):
            contents += [message["content"] for message in result.get("messages", ())]
            if result["function"] == "read_file" and result["path"] in self._unread:
                del self._unread[result["path"]]
                contents.append(result["content"])
            self._note_files(result.get("files", ()))
        self._list_again = self._protocol == "shared_files" and view.get("more_waiting", False)
        return [letter for content in contents for letter in self._completed(content)]

    def _note_files(self, files: Iterable[Mapping[str, Any]]) -> None:
        for file in files:
            match = _FILE.match(file["path"])
            if match is None or int(match[1]) == self.me or file["deleted"]:
                continue
            if match[3] in ("all", str(self.me)):
                self._unread.setdefault(file["path"])

    def _completed(self, content: str) -> list[Letter]:
        """Return the letter that this part completes, if it does.

        Foreign messages are passed over, and so are letters that were damaged on their way.
        """
        match = _PART.match(content)
        if match is None:
            return []
        kind, about, number, total, text = match.groups()
        if total != "1":
            parts = self._parts.setdefault((kind, int(about)), {})
            parts[int(number)] = text
            if len(parts) < int(total):
                return []
            text = "".join(parts[i] for i in sorted(parts))
        try:
            return [Letter(kind, int(about), json.loads(text))]
        except ValueError:
            return []

    def turn(self, answer: str | None = None) -> str:
        """Write the action: what is queued, as far as the limits go, and the answer or ``wait()``.

        Args:
            answer: The answer as JSON; submitted once nothing is left to send.
        """
        calls = ["receive_messages()"] if self._pull else []
        if self._list_again:
            calls.append("list_files('letter-')")
        left = self._max_action_chars - ACTION_RESERVE - len(answer or "")
        reads = [f"read_file('{path}')" for path in self._unread] if answer is None else []
        while self._outbox and len(calls) < self._max_calls - 1 and left > len(self._outbox[0]):
            calls.append(self._outbox.popleft())
            left -= len(calls[-1]) + 1
        for read in reads:
            if len(calls) < self._max_calls - 1 and left > len(read):
                calls.append(read)
                left -= len(read) + 1
        done = answer is not None and not self._outbox
        calls.append(f"submit_result({answer})" if done else "wait()")
        return "\n".join(calls)


def as_json(value: Any) -> str:
    """Write JSON in the fewest characters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _quoted(content: str) -> str:
    return f"'{content}'" if _PLAIN.match(content) else json.dumps(content, ensure_ascii=False)
