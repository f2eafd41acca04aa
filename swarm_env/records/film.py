"""An episode as a film: GIF or MP4, one picture for the start and one after each round."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

from coordgym.episodes.episode import Episode
from coordgym.errors import ConfigError, MissingExtraError, require_choice
from coordgym.swarm_env.drawing import Image
from coordgym.swarm_env.records.playback import play_back

FORMATS: Final = (".gif", ".mp4")
MAX_FPS: Final = 50
"""Most pictures a second; browsers slow down GIFs that are faster."""


def frames(episode: Episode) -> Iterator[Image]:
    """Yield the pictures of an episode, uint8 arrays of shape (height·24, width·24, 3).

    Raises:
        EpisodeError: If it is of another family, or does not play as it was recorded.
    """
    for env, *_ in play_back(episode, render_mode="rgb_array"):
        yield env.render()


def save_film(episode: Episode, path: str | Path, *, fps: float = 4) -> Path:
    """Write an episode as a film and return the path.

    Args:
        episode: An episode of the swarm family.
        path: File that ends in ``.gif`` or ``.mp4``; its folder is made.
        fps: Rounds shown a second, above 0, at most 50.

    Raises:
        ConfigError: If the ending is another one, or fps out of range.
        MissingExtraError: If ``coordgym[viz]`` is not installed.
        EpisodeError: See ``frames``.
    """
    target = Path(path)
    ending = require_choice("the ending of path", target.suffix.lower(), FORMATS)
    if isinstance(fps, bool) or not isinstance(fps, (int, float)) or not 0 < fps <= MAX_FPS:
        raise ConfigError(f"fps must be in (0, {MAX_FPS}], got {fps!r:.100}")
    options: dict[str, Any]
    if ending == ".gif":
        options = {"duration": 1000 / fps, "loop": 0}
    else:
        # Cells have an even number of pixels, so that no picture must be stretched for the codec.
        options = {"fps": fps, "macro_block_size": 2, "codec": "libx264"}
    try:
        import imageio

        if ending == ".mp4":
            import imageio_ffmpeg  # noqa: F401  imageio finds it by itself, but late
    except ImportError as error:
        raise MissingExtraError(
            f"films need the package {error.name}; install it with pip install 'coordgym[viz]'"
        ) from error
    pictures = frames(episode)
    first = next(pictures)  # of another family there is none: leave no empty file behind
    target.parent.mkdir(parents=True, exist_ok=True)
    with imageio.get_writer(target, mode="I", **options) as writer:
        for picture in chain([first], pictures):
            writer.append_data(picture)
    return target
