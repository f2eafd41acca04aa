"""Language-model policies from strings: ``llm:embedded``, ``llm:hf:DIR``, ``llm:openai:…``."""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from coordgym.agents.backend import Backend, SamplingParams
from coordgym.agents.chat import ChatPolicy
from coordgym.errors import ConfigError, UnknownKwargError, UnknownPolicyError, suggest

FORMS = "llm:embedded, llm:hf:DIR, llm:openai:MODEL@URL (URL optional)"
EMBEDDED_MAX_NEW_TOKENS = 64
"""Reply limit of the embedded model, which says nothing better in more."""


class BackendEntry(NamedTuple):
    """How a backend is made.

    ``load`` imports it, ``parse`` turns the rest of the policy string into its arguments,
    ``check`` raises what is known to be wrong with those before a model is loaded, and
    ``defaults`` are sampling parameters that suit it.
    """

    load: Callable[[], Callable[..., Backend]]
    parse: Callable[[str], dict[str, Any]]
    check: Callable[[dict[str, Any]], None]
    defaults: Mapping[str, Any]


class Parts(NamedTuple):
    """What a policy string and its keyword arguments stand for."""

    entry: BackendEntry
    make_backend: Callable[..., Backend]
    backend: dict[str, Any]
    params: SamplingParams
    policy: dict[str, Any]


def make_llm_policy(spec: str, **kwargs: Any) -> ChatPolicy:
    """Make a chat policy from its string.

    Args:
        spec: ``llm:embedded``, ``llm:hf:DIR`` (a model folder) or ``llm:openai:MODEL@URL``
            (an OpenAI-compatible endpoint; without URL ``$OPENAI_BASE_URL`` or OpenAI's own).
        **kwargs: Keyword arguments of ``SamplingParams`` (``max_new_tokens``, ``temperature``,
            ``stop`` …), of ``ChatPolicy`` (``max_prompt_tokens``, ``hint``, ``repair`` …) or of
            the backend (``device``, ``max_batch``; ``api_key``, ``max_concurrent`` …).

    Raises:
        UnknownPolicyError: If the string has another form or names an unknown backend.
        UnknownKwargError: If nothing takes a keyword argument.
        ConfigError: If a value is not allowed.
        MissingExtraError: If the backend's dependencies are not installed.
        ModelError: If a local model can't be loaded.
    """
    parts = _parts(spec, kwargs)
    return ChatPolicy(
        parts.make_backend(**parts.backend),
        **{"name": spec, **parts.policy},
        params=parts.params,
    )


def check_llm_policy(spec: str, **kwargs: Any) -> None:
    """Raise what ``make_llm_policy`` would, as far as that is known without loading a model."""
    parts = _parts(spec, kwargs)
    parts.entry.check(parts.backend)


def _parts(spec: str, kwargs: Mapping[str, Any]) -> Parts:
    prefix, _, rest = spec.partition(":")
    name, _, target = rest.partition(":")
    if prefix != "llm" or name not in BACKENDS:
        near = suggest(name, BACKENDS) if prefix == "llm" else ""
        raise UnknownPolicyError(f"no language-model policy {spec!r}{near}; there are {FORMS}")
    entry = BACKENDS[name]
    positional = entry.parse(target)
    make_backend = entry.load()
    sampling, policy, backend = _split(spec, kwargs, make_backend, positional)
    params = SamplingParams(**{**entry.defaults, **sampling})
    return Parts(entry, make_backend, {**positional, **backend}, params, policy)


def _split(
    spec: str, kwargs: Mapping[str, Any], make_backend: Any, positional: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Sort keyword arguments by what takes them."""
    takers = (
        set(inspect.signature(SamplingParams).parameters),
        set(inspect.signature(ChatPolicy).parameters) - {"backend", "params"},
        _backend_kwargs(make_backend) - set(positional),
    )
    parts: tuple[dict[str, Any], dict[str, Any], dict[str, Any]] = ({}, {}, {})
    for key, value in kwargs.items():
        for taken, names in zip(parts, takers, strict=True):
            if key in names:
                taken[key] = value
                break
        else:
            known = sorted(set().union(*takers))
            raise UnknownKwargError(
                f"policy {spec!r} has no argument {key!r}{suggest(key, known)}; "
                f"it has {', '.join(known)}"
            )
    return parts


def _backend_kwargs(make_backend: Any) -> set[str]:
    """Return the names that a backend's factory takes, with those it passes on to its class."""
    parameters = inspect.signature(make_backend).parameters.values()
    names = {parameter.name for parameter in parameters if parameter.kind != parameter.VAR_KEYWORD}
    owner = getattr(make_backend, "__self__", None)
    if owner is not None:
        names |= set(inspect.signature(owner).parameters) - {"loaded", "model"}
    return names


def _load_embedded() -> Callable[..., Backend]:
    from coordgym.agents.local import TransformersBackend

    return TransformersBackend.embedded


def _load_folder() -> Callable[..., Backend]:
    from coordgym.agents.local import TransformersBackend

    return TransformersBackend.from_folder


def _load_endpoint() -> Callable[..., Backend]:
    from coordgym.agents.endpoint import OpenAIBackend

    return OpenAIBackend


def _parse_nothing(target: str) -> dict[str, Any]:
    if target:
        raise UnknownPolicyError(f"llm:embedded takes no model, got {target!r}; there are {FORMS}")
    return {}


def _parse_folder(target: str) -> dict[str, Any]:
    if not target:
        raise UnknownPolicyError("llm:hf needs a model folder: llm:hf:DIR")
    return {"folder": target}


def _parse_endpoint(target: str) -> dict[str, Any]:
    """Split ``MODEL@URL``; a model's name may hold colons and at signs itself."""
    match = _MODEL_AT_URL.fullmatch(target)
    model, url = match.groups() if match else (target, None)
    if not model:
        raise UnknownPolicyError("llm:openai needs a model: llm:openai:MODEL@URL")
    if match is None and "@" in target:
        raise ConfigError(
            f"llm:openai:{target}: {target.rpartition('@')[2]!r} is no URL, which begins with "
            "http:// or https://; a model with an @ in its name needs its URL too"
        )
    return {"model": model, "base_url": url}


_MODEL_AT_URL = re.compile(r"(.*?)@([A-Za-z][A-Za-z0-9+.-]*://.*)", re.DOTALL)


def _check_embedded(backend: dict[str, Any]) -> None:
    from coordgym.agents.embedded import embedded_gguf

    embedded_gguf()


def _check_folder(backend: dict[str, Any]) -> None:
    from coordgym.agents.local import model_folder

    model_folder(backend["folder"])


def _check_endpoint(backend: dict[str, Any]) -> None:
    from coordgym.agents.endpoint import OpenAIBackend

    OpenAIBackend(**backend)


BACKENDS: dict[str, BackendEntry] = {
    "embedded": BackendEntry(
        _load_embedded,
        _parse_nothing,
        _check_embedded,
        {"max_new_tokens": EMBEDDED_MAX_NEW_TOKENS},
    ),
    "hf": BackendEntry(_load_folder, _parse_folder, _check_folder, {}),
    "openai": BackendEntry(_load_endpoint, _parse_endpoint, _check_endpoint, {}),
}
