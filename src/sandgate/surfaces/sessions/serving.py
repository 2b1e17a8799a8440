"""How a server of sessions was started."""

from __future__ import annotations

from sandgate.agent.options import AgentOptions
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.environment import Environment

ELSEWHERE_HINT = "start the server there, trust the project in config.toml, or start it with `--allow-loosening`"


class Serving(Record):
    """How a server serves: where it stands, which model its sessions have, and whether clients may loosen."""

    environment: Environment
    model: str | None = None
    model_script: str | None = None
    model_record: str | None = None
    model_replay: str | None = None
    loosening: bool = False

    def options(self, source: str) -> AgentOptions:
        """What its sessions are opened with, as far as that is not the client's to choose."""
        return AgentOptions(
            model=self.model,
            model_script=self.model_script,
            model_record=self.model_record,
            model_replay=self.model_replay,
            source=source,
            only_tighten=not self.loosening,
        )
