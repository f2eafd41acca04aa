"""The table of checks, in the order in which they run."""

from collections.abc import Callable
from dataclasses import dataclass

from coordgym.conformance import (
    baselines,
    contract,
    determinism,
    misuse,
    pettingzoo_tests,
    seats,
    secrecy,
    texts,
)
from coordgym.conformance.subject import Subject


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        name: Its name in reports.
        group: The group it belongs to.
        run: Does the work: returns a detail, or raises; its docstring says what it proves.
        slow: Takes long; runs only where it is named.
    """

    name: str
    group: str
    run: Callable[[Subject], str]
    slow: bool = False

    @property
    def proves(self) -> str:
        """What the check proves, in one line."""
        claim = (self.run.__doc__ or "").partition("\n")[0].removeprefix("Check that ")
        return claim[:1].upper() + claim[1:]


CHECKS: tuple[Check, ...] = (
    Check("parallel_api", "pettingzoo", pettingzoo_tests.check_parallel_api),
    Check("aec_api", "pettingzoo", pettingzoo_tests.check_aec_api),
    Check("aec_seed", "pettingzoo", pettingzoo_tests.check_aec_seed),
    Check("render", "pettingzoo", pettingzoo_tests.check_render),
    Check("state", "pettingzoo", pettingzoo_tests.check_state),
    Check("max_cycles", "pettingzoo", pettingzoo_tests.check_max_cycles),
    Check("determinism", "determinism", determinism.check_determinism),
    Check("hash_seed", "determinism", determinism.check_hash_seed),
    Check("reset", "determinism", determinism.check_reset),
    Check("reset_without_seed", "determinism", determinism.check_reset_without_seed),
    Check("given_instance", "determinism", determinism.check_given_instance),
    Check("bad_seeds", "determinism", determinism.check_bad_seeds),
    Check("global_random", "determinism", determinism.check_global_random),
    Check("threads", "determinism", determinism.check_threads),
    Check("snapshots", "determinism", determinism.check_snapshots),
    Check("keys_and_types", "contract", contract.check_keys_and_types),
    Check("info_keys", "contract", contract.check_info_keys),
    Check("spaces", "contract", contract.check_spaces),
    Check("repeated_instructions", "contract", contract.check_repeated_instructions),
    Check("aliasing", "contract", contract.check_aliasing),
    Check("inactive", "contract", contract.check_inactive),
    Check("api_misuse", "contract", misuse.check_api_misuse),
    Check("garbage", "texts", texts.check_garbage),
    Check("first_step_garbage", "texts", texts.check_first_step_garbage),
    Check("illegal_text", "texts", texts.check_illegal_text),
    Check("check_action", "texts", texts.check_check_action),
    Check("reasoning", "texts", texts.check_reasoning),
    Check("compact_text", "texts", texts.check_compact_text),
    Check("memory", "texts", texts.check_memory, slow=True),
    Check("truth_text", "secrecy", secrecy.check_truth_text),
    Check("truth_influence", "secrecy", secrecy.check_truth_influence),
    Check("seat_api", "seat", seats.check_seat_api),
    Check("seat_episode", "seat", seats.check_seat_episode),
    Check("seat_snapshot", "seat", seats.check_seat_snapshot),
    Check("vector_sync", "seat", seats.check_vector_sync),
    Check("vector_async", "seat", seats.check_vector_async),
    Check("baselines", "baselines", baselines.check_baselines),
)

GROUPS: tuple[str, ...] = tuple(dict.fromkeys(check.group for check in CHECKS))
