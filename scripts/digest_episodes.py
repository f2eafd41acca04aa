"""Digest what every environment does, so that a change that alters it can't go unnoticed.

``tests/data/digest.jsonl`` holds one line for each environment, set of keyword arguments and
policy: short hashes of the instances, of the first observations and of the whole episodes
(observations, rewards, ends and infos) of ten seeds. ``--check`` compares; without it the lines
of the families are written anew, which a change does on purpose and says why.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import coordgym

FILE = Path(__file__).parent.parent / "tests" / "data" / "digest.jsonl"
SEEDS = range(10)
TEXTS = ("full", "compact")
ODD = "odd"
"""Name of a policy of this file: random actions with ``ODD_CHARACTERS`` strewn in."""
ODD_CHARACTERS = (
    "\u0663\uff11\u2460\u00df\u0130\u00e9\u0301\u200b"  # digits, letters and marks of all versions
    "\U0001fae8\U00011f50\U00011f02\U0001343f\U0001e4d0"  # of Unicode 15: Python 3.12 and later
    "\U0001fae9\U000105c0\U00010d40"  # of Unicode 16: Python 3.14 and later
    "\u0378"  # of none so far
)
ODD_PLACES = 4
FAMILIES = ("silo", "graph", "pairs", "swarm")
HASH_DIGITS = 16

Run = tuple[str, dict[str, Any], str]
"""An environment's id, its keyword arguments and the name of the policy that plays it."""


class Odd:
    """Actions of the random policy with characters that not all Pythons know."""

    def __init__(self) -> None:
        self._random: Any = coordgym.make_policy("random")
        self._rng = np.random.default_rng()

    def bind(self, env: Any) -> None:
        """Take the environment, whose legal actions are drawn."""
        self._random.bind(env)

    def reset(self, agents: list[str], infos: dict[str, dict[str, Any]], seed: int) -> None:
        """Begin an episode."""
        self._random.reset(agents, infos, seed)
        self._rng = np.random.default_rng(seed)

    def act(self, asked: dict[str, str], infos: dict[str, dict[str, Any]]) -> dict[str, str]:
        """Return the actions of the random policy, strewn with characters."""
        actions = self._random.act(asked, infos)
        return {agent: self._strewn(text) for agent, text in actions.items()}

    def _strewn(self, text: str) -> str:
        for _ in range(ODD_PLACES):
            place = int(self._rng.integers(len(text) + 1))
            character = ODD_CHARACTERS[int(self._rng.integers(len(ODD_CHARACTERS)))]
            text = text[:place] + character + text[place:]
        return text


def _variants(family: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield keyword arguments and a policy: everything that changes what is drawn or told."""
    for text in TEXTS:
        if family == "silo":
            for protocol in ("p2p", "broadcast", "shared_files"):
                yield {"text": text, "protocol": protocol}, "oracle"
        elif family == "pairs":
            for friction in (0, 1, 2):
                yield {"text": text, "friction": friction}, "oracle"
            yield {"text": text, "mode": "solo_full"}, "oracle"
        else:
            yield {"text": text}, "oracle"
        yield {"text": text, **({"max_cycles": 20} if family == "swarm" else {})}, "random"
    yield {"max_cycles": 10}, ODD
    if family == "silo":
        yield {"oracle": True}, "oracle"
        yield {"n_agents": 4, "topology": "ring", "message_loss": 0.1}, "oracle"
    elif family == "graph":
        yield {"n_agents": 12, "byzantine": 1, "loss": 0.1}, "oracle"
        yield {"n_agents": 12, "reward": "shaped", "credit": "seat"}, "graph:silent"
    elif family == "pairs":
        yield {"mode": "solo_view2", "clauses": "all"}, "random"
    elif family == "swarm":
        yield {"max_cycles": 20, "compat": "swarmbench", "reward": "gameable_individual"}, "oracle"
        yield {"max_cycles": 20, "noise": 0.1, "delay": [0, 2]}, "random"


def runs(family: str) -> Iterator[Run]:
    """Yield what is digested of a family."""
    for entry in coordgym.list_envs(family=family):
        for kwargs, policy in _variants(family):
            yield entry.id, kwargs, policy


def digest(run: Run) -> dict[str, Any]:
    """Return the line of one run: what was played, and the hashes of all seeds together."""
    env_id, kwargs, policy_name = run
    parts = ("instances", "observations", "episodes")
    hashes = {part: hashlib.sha256() for part in parts}
    env = coordgym.make(env_id, **kwargs)
    for seed in SEEDS:
        for part, data in zip(parts, _played(env, policy_name, seed), strict=True):
            text = json.dumps(data, ensure_ascii=False)
            hashes[part].update(text.encode("utf-8", "surrogatepass"))
    env.close()
    found = {part: hashed.hexdigest()[:HASH_DIGITS] for part, hashed in hashes.items()}
    return {"env": env_id, "kwargs": kwargs, "policy": policy_name, **found}


def _played(env: Any, policy_name: str, seed: int) -> tuple[Any, Any, Any]:
    """Play one episode; return its instance, its first observations and all that followed."""
    policy: Any = Odd() if policy_name == ODD else coordgym.make_policy(policy_name)
    policy.bind(env)
    observations, infos = env.reset(seed=seed)
    policy.reset(env.agents, infos, seed)
    instance, first, steps = env.unwrapped.instance, dict(observations), [infos]
    while env.agents:
        asked = {agent: text for agent, text in observations.items() if infos[agent]["active"]}
        actions = policy.act(asked, infos)
        observations, rewards, terminations, truncations, infos = env.step(actions)
        steps.append([actions, observations, rewards, terminations, truncations, infos])
    return instance, first, steps


def faults_of(family: str) -> list[str]:
    """Return what differs between the file and what the family does now, in plain words."""
    kept = _kept()
    faults = []
    for run in runs(family):
        now = digest(run)
        before = kept.get(_key(now))
        if before is None:
            faults.append(f"{_key(now)}: not in {FILE.name}")
        elif before != now:
            parts = [part for part, value in now.items() if before[part] != value]
            faults.append(f"{_key(now)}: other {', '.join(parts)}")
    return faults


def _kept() -> dict[str, dict[str, Any]]:
    """Return the lines of the file by what was played."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return {_key(line): line for line in map(json.loads, lines)}


def _key(line: dict[str, Any]) -> str:
    return _key_of((line["env"], line["kwargs"], line["policy"]))


def _key_of(run: Run) -> str:
    return json.dumps(run)


def main(
    families: Annotated[
        list[str] | None, typer.Argument(help="Families to digest; all of them by default.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if something differs.")
    ] = False,
) -> None:
    """Check the digest of some families, or write it anew."""
    chosen = families or list(FAMILIES)
    if unknown := sorted({*chosen} - {*FAMILIES}):
        raise SystemExit(f"no family {', '.join(unknown)}; there are {', '.join(FAMILIES)}")
    if check:
        faults = [fault for family in chosen for fault in faults_of(family)]
        if faults:
            advice = "If that is meant, say why in the commit and run scripts/digest_episodes.py."
            raise SystemExit("\n".join([*faults, advice]))
    else:
        kept = _kept()
        for family in chosen:
            kept.update((_key(line), line) for line in map(digest, runs(family)))
        keys = [_key_of(run) for family in FAMILIES for run in runs(family)]
        lines = [json.dumps(kept[key]) + "\n" for key in keys if key in kept]
        FILE.write_text("".join(lines), encoding="utf-8")
        print(f"wrote {FILE}, anew for {', '.join(chosen)}")


if __name__ == "__main__":
    typer.run(main)
