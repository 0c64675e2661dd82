class Step:
    op: str
    options: tuple[tuple[str, int], ...]
    flags: tuple[str, ...]
    keys: tuple[str, ...]

def count_fork() -> None: ...
