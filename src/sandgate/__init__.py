"""Sandgate: the gate an AI coding agent's commands pass through.

`open_gate` and `open_runtime` are where a program begins; they are imported when they are first asked for.
"""

__version__ = "0.1.0"
__all__ = ["Environment", "open_gate", "open_runtime"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module `sandgate` has no `{name}`")
    if name == "open_gate":
        from sandgate.runtime.aio import open_gate

        return open_gate
    import sandgate.runtime as door

    return getattr(door, name)
