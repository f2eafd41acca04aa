"""Names of places are loaded, and what is wrong with one is said."""

import pytest

from coordgym.errors import PlanError
from coordgym.loading import imported, is_imported, load, without_prefix


def test_a_place_gives_what_lies_there() -> None:
    import math

    assert load("math:pi") == math.pi
    assert imported("import:math:pi") == math.pi
    with pytest.raises(ImportError):
        load("no_such_module:x")
    with pytest.raises(AttributeError):
        load("math:no_such_name")


def test_the_prefix_tells_what_is_imported() -> None:
    assert is_imported("import:math:pi")
    assert not is_imported("SiloGlobalMax-v0")
    assert without_prefix("import:math:pi") == "math:pi"
    assert without_prefix("I-01") == "I-01"


@pytest.mark.parametrize("name", ["import:math", "import::pi", "import:math:", "import:"])
def test_a_name_without_module_or_attribute_is_refused(name: str) -> None:
    with pytest.raises(PlanError, match=r"expected 'import:package\.module:name', got 'import:"):
        imported(name)


def test_what_an_import_raises_is_told() -> None:
    with pytest.raises(PlanError, match="AttributeError: module 'math' has no attribute 'tau2'"):
        imported("import:math:tau2")
    with pytest.raises(PlanError, match=r"ModuleNotFoundError.*in a folder of PYTHONPATH"):
        imported("import:no_such_module:x")
