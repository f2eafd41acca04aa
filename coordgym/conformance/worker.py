"""Plays episodes in a process of its own: ``python -m coordgym.conformance.worker``.

Reads cloudpickled (subjects, seed, steps) in base64 from stdin and writes the pickled episodes
in base64 to stdout. The caller sets PYTHONHASHSEED.
"""

import base64
import contextlib
import pickle
import sys

from coordgym.conformance.play import play


def main() -> None:
    """Play one episode of each environment that stdin describes."""
    subjects, seed, steps = pickle.loads(base64.b64decode(sys.stdin.buffer.read()))
    # What the environments print must not mix with the answer.
    with contextlib.redirect_stdout(sys.stderr):
        episodes = [play(subject.make(), seed, max_steps=steps) for subject in subjects]
    sys.stdout.buffer.write(base64.b64encode(pickle.dumps(episodes)))


if __name__ == "__main__":
    main()
