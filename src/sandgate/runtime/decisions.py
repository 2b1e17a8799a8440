"""What a surface needs of the journal: what was decided, and a person's word against a machine's."""

from __future__ import annotations

from sandgate.approvals.journal import entries as entries
from sandgate.approvals.overruling import SHORT_DIGEST as SHORT_DIGEST
from sandgate.approvals.overruling import overrule as overrule
