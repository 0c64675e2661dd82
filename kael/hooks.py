"""Registering callables in an OrderedDict, with a handle that takes them out again."""

from itertools import count

from kael.autograd import RemovableHandle

__all__ = ["register"]

_numbers = count()


def register(hooks, hook, prepend=False):
    """Stores ``hook`` in ``hooks``, last or first; returns a handle with ``remove()``."""
    key = next(_numbers)
    hooks[key] = hook
    if prepend:
        hooks.move_to_end(key, last=False)
    return RemovableHandle(hooks, key)
