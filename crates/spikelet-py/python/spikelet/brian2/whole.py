"""Groups behind parts of them and weak references."""

from __future__ import annotations

from typing import Any

from brian2.groups.subgroup import Subgroup


def whole(group: Any) -> Any:
    """The group of which this is a part, or itself."""
    group = unproxied(group)
    return unproxied(group.source) if isinstance(group, Subgroup) else group


def unproxied(group: Any) -> Any:
    """The object behind a weak proxy, or itself."""
    return group.__repr__.__self__
