"""Who answers in a session, and the writing down of answers: both are loaded where settings or questions want them."""

from __future__ import annotations

from _thread import allocate_lock

from sandgate.config.features import ASSESSMENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.approvals.chain import Reviewer
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.protocol.trace import Recorder
    from sandgate.reviewers.assembly import ReviewedSession
    from sandgate.runtime.journal import WriteDown


def who_answers(reviewers: tuple[Reviewer, ...], session: ReviewedSession) -> tuple[Reviewer, ...]:
    """The reviewers, with a model in their place or beside them where the settings say so."""
    if session.settings.auto_review is None and ASSESSMENT not in session.settings.features:
        return reviewers
    from sandgate.reviewers.assembly import answering

    return answering(reviewers, session)


class WrittenAnswers:
    """Writes an answer down, and says what it counts for; made with the first answer. Threads may share it."""

    def __init__(self, environ: Mapping[str, str], tell: Recorder, *, required: bool) -> None:
        self._said = environ, tell, required
        self._making = allocate_lock()
        self._write_down: WriteDown | None = None

    def __call__(self, request: ApprovalRequest, decision: Decision) -> Decision:
        with self._making:
            if self._write_down is None:
                from sandgate.runtime.journal import written_down

                environ, tell, required = self._said
                self._write_down = written_down(environ, tell, required=required)
        return self._write_down(request, decision)
