"""The laboratory: what kael reaches on this machine, as tables and pictures.

``python -m kael.lab roofline``, ``ladder``, ``threads`` or ``allocator``; see docs/lab.md. Each has
a module of three functions: ``measure`` returns plain values, ``text`` and ``draw`` show them.
"""
