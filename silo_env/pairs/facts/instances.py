"""Checks of instances given as JSON that say which view knows what."""

from coordgym.errors import InstanceError


def require_views(field: str, value: object, count: int, each: str) -> tuple[int, ...]:
    """Check a list that says which view, 1 or 2, knows each of some parts of an instance.

    Args:
        field: Its name, for the error.
        value: The list.
        count: The number of parts.
        each: What one of them is, for the error.

    Raises:
        InstanceError: The value is none.
    """
    if not isinstance(value, list | tuple) or len(value) != count:
        raise InstanceError(f"{field} must name a view for each {each}")
    if any(isinstance(view, bool) or view not in (1, 2) for view in value):
        raise InstanceError(f"{field} must hold 1 or 2")
    return tuple(value)
