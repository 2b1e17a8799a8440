"""The tools that Sandgate brings, one file each; `registry` finds them here."""
