from support.terminal.live_sessions import place

__all__ = ["place"]
