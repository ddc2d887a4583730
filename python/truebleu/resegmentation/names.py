"""What can be asked for. The command's flags need this alone, and must not wait for arrays."""

METHODS = ("cue", "mwer", "mwer-case", "none")
BREAKS = ("prefer", "ignore", "keep")
WINDOW = 200

LEVELS = ("segment", "paragraph", "document", "all")

# What signatures call levels; segments are not shown.
SIGNED_LEVELS = {"paragraph": "par", "document": "doc", "all": "all"}
