"""Plays one episode in a process of its own: `python -m coordgym.conformance.worker`.

Reads a cloudpickled (subject, seed, steps) in base64 from stdin and writes the pickled episode
in base64 to stdout. The caller sets PYTHONHASHSEED.
"""

import base64
import contextlib
import pickle
import sys

from coordgym.conformance.play import play


def main() -> None:
    """Play the episode that stdin describes."""
    subject, seed, steps = pickle.loads(base64.b64decode(sys.stdin.buffer.read()))
    # What the environment prints must not mix with the answer.
    with contextlib.redirect_stdout(sys.stderr):
        episode = play(subject.make(), seed, max_steps=steps)
    sys.stdout.buffer.write(base64.b64encode(pickle.dumps(episode)))


if __name__ == "__main__":
    main()
