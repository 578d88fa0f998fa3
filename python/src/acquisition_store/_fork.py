"""Objects that a forked process must not share with its parent: sockets, locks, sessions."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forkable(Protocol):
    def after_fork(self) -> None:
        """Forgets in the new process what belongs to the parent."""


_objects: weakref.WeakSet[Forkable] = weakref.WeakSet()


def watch_fork(forkable: Forkable) -> None:
    _objects.add(forkable)


def _after_fork() -> None:
    for forkable in list(_objects):
        forkable.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
