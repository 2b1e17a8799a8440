"""Exec rules: what a rule file may say, and which rules speak about a command."""

from __future__ import annotations

from sandgate.policy.rules.model import NO_RULES, HostExecutable, NetworkRule, PlaceRule, Rule, RuleSet, merged

__all__ = ["NO_RULES", "HostExecutable", "NetworkRule", "PlaceRule", "Rule", "RuleSet", "merged"]
