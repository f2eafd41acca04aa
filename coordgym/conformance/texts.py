"""Checks that any text is survived, refused in plain words, and harms nobody else."""

import gc
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from coordgym.conformance.contract import MAX_ERROR_CHARS
from coordgym.conformance.play import (
    GARBAGE,
    Frame,
    Play,
    first_difference,
    garbage,
    play,
    sampled,
    start,
    step_seed,
)
from coordgym.conformance.play import mixed as mixed_actions
from coordgym.conformance.report import CheckFailed, CheckSkipped, expect
from coordgym.conformance.subject import Subject

SEED = 3
GARBAGE_CYCLES = 50
"""Limit of the garbage episode, env steps."""
UNUSABLE = "\ud800"
"""A lone surrogate: no family ever gets to read this text."""
THOUGHTFUL = (
    "<think>\n{thought}\n</think>\n{answer}",
    "{thought}\n</think>\n\n{answer}",
    "[THINK]{thought}[/THINK]{answer}",
    "<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant"
    "<|channel|>final<|message|>{answer}",
)
UNENDED = "<think>\n{thought}\n"
"""An action with thoughts before it, and thoughts without an end."""
MEMORY_AGENTS = 8
MEMORY_STEPS = (200, 1000)
"""Between these env steps memory must not grow."""
MAX_GROWTH_BYTES = 20 * 2**20


def check_garbage(subject: Subject) -> str:
    """Check that agents that send garbage only, some of it long, play to exactly ``max_cycles``.

    At the limit all truncate; every observation fits its space; at least the texts that are not
    Unicode are counted as invalid. Environments whose own clock ends earlier are exempt from
    the length only. Nobody succeeds by garbage.
    """
    subject.need_text("texts")
    env = subject.make(max_cycles=GARBAGE_CYCLES)
    episode = play(env, SEED, garbage, max_steps=GARBAGE_CYCLES + 1)
    for step, frame in enumerate(episode.frames):
        _expect_fitting(env, frame, step)
    unusable = sum(text == UNUSABLE for actions in episode.actions for text in actions.values())
    figures = env.unwrapped.metrics()
    expect(not figures["success"], "garbage alone is a success: look at what `_metrics` judges by")
    counted = figures["invalid_actions"]
    expect(counted >= unusable, f"{unusable} texts were no Unicode, invalid_actions is {counted}")
    steps, last = len(episode.actions), episode.frames[-1]
    expect(episode.ended, f"the episode is not over after {steps} steps of {GARBAGE_CYCLES}")
    if steps == GARBAGE_CYCLES and all(last.truncations.values()):
        return f"truncated after {steps} steps, {counted} texts invalid"
    clock = garbage_clock(subject, episode)
    if clock is None:
        raise CheckFailed(
            f"garbage ends the episode after {steps} of {GARBAGE_CYCLES} steps with "
            f"terminations {last.terminations} and truncations {last.truncations}"
        )
    return clock


def garbage_clock(subject: Subject, episode: Play) -> str | None:
    """Say by which clock of its own a garbage episode ended early, or give None.

    Either the environment's infos announce a lower limit, or legal samples, which never end an
    episode by themselves, see all terminate by then, too.
    """
    steps, last = len(episode.actions), episode.frames[-1]
    announced = min(info["max_cycles"] for info in episode.frames[0].infos.values())
    if announced < GARBAGE_CYCLES and steps == announced:
        return f"its own clock ends after {steps} steps"
    if not all(last.terminations.values()):
        return None
    legal = play(subject.make(max_cycles=GARBAGE_CYCLES), SEED, sampled, max_steps=steps)
    if legal.ended and all(legal.frames[-1].terminations.values()):
        return f"its own clock ends after {steps} steps"
    return None


def check_first_step_garbage(subject: Subject) -> str:
    """Check that garbage of one agent in the first step is refused, and nobody else notices.

    The agent's ``valid`` is False with an error of at most 200 characters that stands in its next
    observation; the others' actions are applied: their infos say valid.
    """
    subject.need_text("texts")
    env = subject.make()
    frame = start(env, SEED)
    active = [agent for agent, info in frame.infos.items() if info["active"]]
    actions = {agent: _legal(env, agent, i) for i, agent in enumerate(active)}
    actions[active[0]] = UNUSABLE
    after = Frame(*env.step(dict(actions)))
    _expect_refused(after, active[0], UNUSABLE, step=1)
    for agent in active[1:]:
        info = after.infos[agent]
        expect(
            info["valid"] is True,
            f"{active[0]} sent garbage and {agent}, whose action was legal, is told "
            f"valid={info['valid']!r}, error={info['error']!r}",
        )
    return f"{len(active)} agents"


def check_illegal_text(subject: Subject) -> str:
    """Check that a text that ``check_action`` calls wrong is refused by ``step`` and does nothing.

    Twins play the same actions, but one agent sends illegal texts to one twin, and texts that
    can't be read at all (no Unicode) to the other. All other agents must be told the same ever
    after, and the state must be the same. Where it is illegal too, the text mentions a legal
    action in prose after an illegal call: no fallback to the prose. What counts as illegal in a
    family is checked in its own tests.
    """
    subject.need_text("texts")
    agents = subject.make().possible_agents
    refused = sum(_play_illegal(subject, agent) for agent in dict.fromkeys((agents[0], agents[-1])))
    if not refused:
        raise CheckSkipped("every Unicode text is legal here")
    return f"{refused} illegal texts"


def _play_illegal(subject: Subject, culprit: str) -> int:
    """Play the twins with illegal texts of one agent; give how many there were."""
    env, twin = subject.make(), subject.make()
    frame, other = start(env, SEED), start(twin, SEED)
    refused = 0
    for step in range(20):
        if culprit not in env.agents:
            break
        actions = mixed_actions(env, frame, step_seed(SEED, step))
        text = UNUSABLE
        if frame.infos[culprit]["active"]:
            text = next(_illegal_texts(env, culprit, step), UNUSABLE)
            actions[culprit] = text
        refused += text != UNUSABLE
        asked = frame.infos[culprit]["active"]
        frame = Frame(*env.step(dict(actions)))
        other = Frame(*twin.step({**actions, culprit: UNUSABLE}))
        if asked:
            _expect_refused(frame, culprit, text, step + 1)
        where = f"step {step + 1}: the illegal {text!r:.120} of {culprit}"
        for agent in frame.observations:
            if agent != culprit:
                found = first_difference(_told(frame, agent), _told(other, agent))
                expect(found is None, f"{where} reached {agent}: {found}")
        expect(env.state() == twin.state(), f"{where} changed the state")
    return refused


def check_check_action(subject: Subject) -> str:
    """Check that ``check_action`` says what ``step`` then says, and changes nothing.

    What it calls wrong is refused by ``step``; asking it about many texts leaves no trace in the
    episode. (What it calls right may still fail when two agents want the same thing.)
    """
    subject.need_text("check_action")
    env, twin = subject.make(), subject.make()
    frame = start(env, SEED)
    start(twin, SEED)
    checked, disagreements = 0, []
    for step in range(40):
        if not env.agents:
            break
        actions = mixed_actions(env, frame, step_seed(SEED, step))
        verdicts = {
            agent: env.unwrapped.check_action(agent, text)
            for agent, text in actions.items()
            if frame.infos[agent]["active"]
        }
        for text in GARBAGE:
            env.unwrapped.check_action(env.agents[0], text)
        frame = Frame(*env.step(dict(actions)))
        found = first_difference(frame, Frame(*twin.step(dict(actions))))
        expect(found is None, f"step {step + 1}: asking check_action changed the episode: {found}")
        for agent, wrong in verdicts.items():
            checked += 1
            valid = frame.infos[agent]["valid"]
            expect(
                wrong is None or valid is False,
                f"step {step + 1}: check_action calls {actions[agent]!r:.120} wrong ({wrong}), "
                f"step says valid={valid!r}",
            )
            if wrong is None and valid is False:
                disagreements.append(frame.infos[agent]["error"])
    expect(
        len(disagreements) <= checked // 10,
        f"check_action found nothing wrong in {len(disagreements)} of {checked} texts that step "
        f"refused, such as with {disagreements[:1]}",
    )
    return f"{checked} texts"


def check_reasoning(subject: Subject) -> str:
    """Check that reasoning is never acted on: an action means the same with thoughts before it.

    Twins play the same actions; before those of one twin stands reasoning that mentions another
    legal action. ``check_action`` says the same of both. A reply that ends inside its reasoning
    is refused in plain words.
    """
    subject.need_text("actions of models that think")
    env, twin = subject.make(), subject.make()
    frame, other = start(env, SEED), start(twin, SEED)
    thoughtful = 0
    for step in range(20):
        if not env.agents:
            break
        plain = mixed_actions(env, frame, step_seed(SEED, step))
        asked = [agent for agent in plain if frame.infos[agent]["active"]]
        thoughts = mixed_actions(env, frame, step_seed(SEED + 1, step))
        form = THOUGHTFUL[step % len(THOUGHTFUL)]
        texts = {
            agent: form.format(thought=thoughts[agent], answer=plain[agent])
            for agent in asked
            if plain[agent] == plain[agent].strip()  # space around an answer is not part of it
        }
        for agent, text in texts.items():
            _expect_same_verdict(env, agent, text, plain[agent])
            _expect_unended(env, agent, UNENDED.format(thought=thoughts[agent]))
        thoughtful += len(texts)
        frame = Frame(*env.step({**plain, **texts}))
        other = Frame(*twin.step(dict(plain)))
        found = first_difference(frame, other)
        expect(found is None, f"step {step + 1}: reasoning changed the episode: {found}")
        expect(env.state() == twin.state(), f"step {step + 1}: reasoning changed the state")
    _expect_unended_step(subject)
    return f"{thoughtful} actions with thoughts"


def check_compact_text(subject: Subject) -> str:
    """Check that ``text="compact"`` gives the same views, rewards and ends in other words."""
    subject.need_text("text argument")
    styles = [play(subject.make(text=style), SEED, max_steps=40) for style in ("full", "compact")]
    differing = False
    for step, (full, compact) in enumerate(zip(*(p.frames for p in styles), strict=True)):
        for name in ("rewards", "terminations", "truncations"):
            found = first_difference(getattr(full, name), getattr(compact, name), name)
            expect(found is None, f"step {step}: compact text plays differently: {found}")
        for agent, info in full.infos.items():
            found = first_difference(info["view"], compact.infos[agent]["view"], "view")
            expect(found is None, f"step {step}: {agent} is told other facts: {found}")
        differing |= full.observations != compact.observations
    expect(differing, "compact text is the full text")
    return ""


def check_memory(subject: Subject) -> str:
    """Check that the last 800 of 1,000 steps of garbage keep less than 20 MB; all texts fit.

    All truncate at the last step, unless a clock of the environment's own ends the episode.
    Two gauges, the worse one counts. Python's own allocations are counted exactly: a process
    that has freed much before grows by nothing while it fills its heap again. The size of the
    process shows what libraries keep outside Python, a database for instance.
    """
    subject.need_text("texts")
    try:
        import psutil
    except ImportError as error:
        raise CheckSkipped("it needs psutil: install coordgym[test]") from error
    process = psutil.Process()

    def held() -> np.ndarray:
        gc.collect()
        outside = process.memory_info().rss - tracemalloc.get_tracemalloc_memory()
        return np.array([tracemalloc.get_traced_memory()[0], outside])

    first, last = MEMORY_STEPS
    with _traced_memory():
        env = _crowd(subject, max_cycles=last)
        frame, before = start(env, SEED), None
        for step in range(last):
            if not env.agents:
                break
            if step == first:
                before = held()
            frame = Frame(*env.step(garbage(env, frame, step_seed(SEED, step))))
            _expect_fitting(env, frame, step + 1)
        if before is None:
            raise CheckSkipped(f"its episodes end before step {first}")
        ended = not env.agents and (step < last - 1 or all(frame.truncations.values()))
        expect(ended, f"after {last} steps, its limit, {env.agents} go on or some terminated")
        growth = int((held() - before).max())
    expect(growth < MAX_GROWTH_BYTES, f"memory grew by {growth / 2**20:.1f} MB in {step} steps")
    return f"{growth / 2**20:+.1f} MB from step {first} to {step + 1}"


def _crowd(subject: Subject, max_cycles: int) -> Any:
    try:
        return subject.make(n_agents=MEMORY_AGENTS, max_cycles=max_cycles)
    except (TypeError, ValueError):
        return subject.make(max_cycles=max_cycles)  # a family of fixed size


@contextmanager
def _traced_memory() -> Iterator[None]:
    """Count Python's allocations; somebody else's count goes on undisturbed."""
    if tracemalloc.is_tracing():
        yield
        return
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def _illegal_texts(env: Any, agent: str, step: int) -> Iterator[str]:
    """Yield texts that ``check_action`` calls wrong, those with a legal action in prose first."""
    bad = ("teleport(everywhere)", '{"name": "teleport", "arguments": {}}', "MOVE: teleport")
    legal = " ".join(_legal(env, agent, step).split())
    order = np.roll(np.arange(len(bad)), step)
    prose = [f"{bad[i]}\nPerhaps {legal} would do too, but I will not." for i in order]
    for text in (*prose, *(bad[i] for i in order), "", "[" * 3000):
        if env.unwrapped.check_action(agent, text) is not None:
            yield text


def _legal(env: Any, agent: str, seed: int) -> str:
    space = env.action_space(agent)
    space.seed(seed)
    text: str = space.sample()
    return text


def _told(frame: Frame, agent: str) -> tuple[Any, ...]:
    """Give all that one agent is told and paid in a step, without the team's metrics."""
    info = {key: value for key, value in frame.infos[agent].items() if key != "metrics"}
    return frame.observations[agent], frame.rewards[agent], info


def _expect_fitting(env: Any, frame: Frame, step: int) -> None:
    for agent, observation in frame.observations.items():
        expect(
            env.observation_space(agent).contains(observation),
            f"step {step}: the observation of {agent} has {len(observation)} characters, "
            f"its space {env.observation_space(agent)}",
        )


def _expect_refused(frame: Frame, agent: str, text: str, step: int) -> None:
    info = frame.infos[agent]
    where = f"step {step}: {agent} sent {text!r:.120}"
    expect(info["valid"] is False, f"{where} and is told valid={info['valid']!r}")
    error = info["error"]
    fits = isinstance(error, str) and 0 < len(error) <= MAX_ERROR_CHARS
    expect(fits, f"{where} and is told the error {error!r:.300}")
    expect(len(text) < 8 or text not in error, f"{where} and the error echoes it")
    told = error in frame.observations[agent]
    expect(told, f"{where} and its next observation does not say: {error}")


def _expect_same_verdict(env: Any, agent: str, text: str, answer: str) -> None:
    said, wanted = (env.unwrapped.check_action(agent, each) for each in (text, answer))
    expect(said == wanted, f"check_action says {said!r} of {text!r:.120}, {wanted!r} without it")


def _expect_unended(env: Any, agent: str, text: str) -> None:
    error = env.unwrapped.check_action(agent, text)
    fits = isinstance(error, str) and 0 < len(error) <= MAX_ERROR_CHARS
    expect(fits, f"check_action says {error!r} of {text!r:.120}, which ends inside its reasoning")


def _expect_unended_step(subject: Subject) -> None:
    """Expect that ``step`` refuses a legal action that stands in a thought without an end."""
    env = subject.make()
    frame = start(env, SEED)
    actions = mixed_actions(env, frame, step_seed(SEED, 0))
    agent = next(agent for agent, info in frame.infos.items() if info["active"])
    space = env.action_space(agent)
    space.seed(SEED)
    after = Frame(*env.step({**actions, agent: UNENDED.format(thought=space.sample())}))
    info = after.infos[agent]
    told = isinstance(info["error"], str) and info["error"] in after.observations[agent]
    expect(
        info["valid"] is False and told,
        f"{agent} thought without an end and is told valid={info['valid']!r}, "
        f"error={info['error']!r}",
    )
