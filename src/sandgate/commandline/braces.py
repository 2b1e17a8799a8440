"""Words that braces make of one, as bash does before it looks at anything else."""

from __future__ import annotations

OPEN, COMMA, CLOSE = "\x1d", "\x1e", "\x1f"  # stand for `{`, `,` and `}` that are not quoted


def braced(text: str, most: int) -> list[str]:
    """`l{s,m}` → `ls`, `lm`, at most `most`; a brace without a comma stays as it is. Braces are marked as above."""
    waiting, done = [text], list[str]()
    while waiting:
        current = waiting.pop()
        close = current.find(CLOSE)
        start = current.rfind(OPEN, 0, close) if close >= 0 else -1
        if start < 0 or len(waiting) + len(done) >= most:
            done.append(current.replace(OPEN, "{").replace(COMMA, ",").replace(CLOSE, "}"))
            continue
        before, choices, after = current[:start], current[start + 1 : close].split(COMMA), current[close + 1 :]
        waiting += [
            before + each + after if len(choices) > 1 else f"{before}{{{each}}}{after}" for each in choices[::-1]
        ]
    return done
