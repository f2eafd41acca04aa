"""The names of the package."""

import pkgutil

import coordgym


def test_no_module_takes_the_place_of_a_name_of_the_package() -> None:
    """``coordgym.rollout`` stays the function, whatever modules have been loaded before."""
    taken = {module.name for module in pkgutil.iter_modules(coordgym.__path__)}
    assert not taken & set(coordgym.__all__)
    for name in coordgym.__all__:
        assert callable(getattr(coordgym, name))
