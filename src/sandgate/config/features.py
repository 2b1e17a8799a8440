"""Feature switches: what may be turned on before it is finished, and the old names of each.

A feature is a key `features.NAME`. `--enable NAME` and `--disable NAME` are short for setting it.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.errors import ConfigError

ASSESSMENT = "experimental_sandbox_command_assessment"
APPLY_PATCH_FREEFORM = "apply_patch_freeform"
UNIFIED_EXEC = "unified_exec"
VIEW_IMAGE = "view_image_tool"
WEB_SEARCH = "web_search_request"

# name, stage, default, meaning; stages: experimental, beta, stable, deprecated, removed
FEATURES: tuple[tuple[str, str, bool, str], ...] = (
    (
        ASSESSMENT,
        "experimental",
        False,
        "A model adds its words to the risk shown with a question. The offline assessment is always there.",
    ),
    (APPLY_PATCH_FREEFORM, "beta", False, "An agent's model writes patches as they are, held to their grammar."),
    (
        UNIFIED_EXEC,
        "stable",
        True,
        "An agent's commands may live on. Off: one tool, `shell`, that waits for their end.",
    ),
    (VIEW_IMAGE, "stable", True, "An agent's model may look at pictures on this machine."),
    (
        WEB_SEARCH,
        "stable",
        False,
        "The provider searches the web for an agent's model; it is told to look at live pages only where commands have "
        "the network.",
    ),
)

# old top-level name -> feature
ALIASES = {
    ASSESSMENT: ASSESSMENT,
    "experimental_use_freeform_apply_patch": APPLY_PATCH_FREEFORM,
    "experimental_use_unified_exec_tool": UNIFIED_EXEC,
    "include_apply_patch_tool": APPLY_PATCH_FREEFORM,
    "include_view_image_tool": VIEW_IMAGE,
    "web_search": WEB_SEARCH,
}


def canonical_feature(name: str) -> str:
    """The feature `--enable`/`--disable` means by `name`, which may be an old one."""
    known = [feature[0] for feature in FEATURES]
    canonical = ALIASES.get(name, name)
    if canonical in known:
        return canonical
    from sandgate.config.suggest import nearest

    raise ConfigError(
        f"Unknown feature flag: {visible(name)}", hint=nearest(name, known) or f"known: {', '.join(known)}"
    )


def alias_notice(alias: str) -> str:
    """What a user of an old top-level name is told, once."""
    feature = ALIASES[alias]
    return (
        f"`{alias}` at the top level is deprecated. Use `[features].{feature}` instead "
        f"(or `--enable {feature}` on the command line)."
    )
