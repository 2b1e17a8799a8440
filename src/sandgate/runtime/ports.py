"""What a surface needs to show ports, beside what a session's own methods do."""

from __future__ import annotations

from sandgate.terminals.shown_ports import Sandbox as Sandbox
from sandgate.terminals.shown_ports import port_wish as port_wish
from sandgate.terminals.shown_ports import port_wishes as port_wishes
from sandgate.terminals.shown_ports import sandboxes as sandboxes
from sandgate.terminals.shown_ports import serving_sandbox as serving_sandbox
from sandgate.terminals.shown_ports import shown_from_outside as shown_from_outside
