"""The possible choices. The command's flags need only these, and must not load NumPy for them."""

METHODS = ("cue", "mwer", "mwer-case", "none")
BREAKS = ("prefer", "ignore", "keep")
WINDOW = 200

LEVELS = ("segment", "paragraph", "document", "all")

# The names of levels in signatures; segments are not shown.
SIGNED_LEVELS = {"paragraph": "par", "document": "doc", "all": "all"}
