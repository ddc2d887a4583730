"""`truebleu completion`: how completion in the shell is installed."""

import sys
from argparse import Namespace

from truebleu.cli.flags import Section
from truebleu.cli.main import Command
from truebleu.metrics.options import flag

# For each shell, the file that it reads when it starts, and the line that goes there.
_LINES = {
    "bash": ("~/.bashrc", 'eval "$(register-python-argcomplete truebleu)"'),
    "zsh": ("~/.zshrc", 'eval "$(register-python-argcomplete truebleu)"'),
    "fish": ("~/.config/fish/config.fish", "register-python-argcomplete --shell fish truebleu | source"),
}


def _say_how(args: Namespace) -> int:
    sys.stdout.write('# Install what completion needs:\npip install "truebleu[completion]"\n')
    for shell in [args.shell] if args.shell else _LINES:
        file, line = _LINES[shell]
        sys.stdout.write(f"# {shell}: write this line into {file}\n{line}\n")
    return 0


COMMAND = Command(
    "truebleu completion",
    (Section("", [flag("shell", nargs="?", choices=tuple(_LINES), metavar="SHELL", help="bash, zsh or fish")]),),
    _say_how,
    about="Say how the shell is told to complete commands, options, metrics, test sets and systems.",
    usage="[SHELL]",
    example="bash",
)
