"""What a patch is answered with: text for a model, facts for a program, by the same names as in `ExecAnswer`. Pure."""

from __future__ import annotations

from sandgate.display import visible
from sandgate.protocol.wire import denial_json
from sandgate.record import Record
from sandgate.tools.answers import ANSWER_POLICY, MILLISECONDS, ShellAnswer, slim
from sandgate.tools.truncation import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.decisions import Passage
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.patches import FileChange
    from sandgate.tools.truncation import TruncationPolicy

    Json = dict[str, Any]

MS_PER_S = 1000


class PatchAnswer(Record):
    """The answer of `apply_patch`: it was applied, it could not be, or a reviewer or a rule said no."""

    call_id: str  # what `undo_patch` takes
    wall_time_seconds: float  # with the question, where there was one
    output: str  # what became of it, in words; not cut. "" when it was refused
    exit_code: int | None  # 0: applied; 1: not, and nothing is changed; None: refused
    changes: tuple[FileChange, ...]  # the files it is about, applied or not
    passage: Passage
    denials: tuple[Denial, ...] = ()  # what of it lies where nothing may be written
    notices: tuple[str, ...] = ()  # what the model has to know; a line each in the text, too
    refused: str = ""  # nothing was written, and this is why
    budget: TruncationPolicy = ANSWER_POLICY  # of `text` and `structured`

    def text(self) -> str:
        """What a model reads."""
        said = "".join(f"Notice: {visible(notice)}\n" for notice in self.notices)
        return f"{self.body().rstrip()}\n{said}" if said else self.body()

    def body(self) -> str:
        """The same without the notices: what a shell would have printed that was told to apply the patch."""
        if self.exit_code is None:
            return self.refused
        return ShellAnswer(self.output, self.exit_code, round(self.wall_time_seconds * MS_PER_S)).freeform_text(
            self.budget
        )

    def structured(self) -> Json:
        """What a program reads, and a model whose client passes on nothing else: what happened, the output last."""
        return {"applied": self.exit_code == 0} | slim(
            {
                "refused": self.refused,
                "notices": list(self.notices),
                "exit_code": self.exit_code,
                "wall_time_seconds": None if self.refused else round(self.wall_time_seconds, MILLISECONDS),
                "changes": [{"path": change.path, "type": change.kind} for change in self.changes],
                "denials": [denial_json(denial) for denial in self.denials],
                "output": cut(self.output, self.budget),
            }
        )
