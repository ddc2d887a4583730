"""`python -m truebleu` is the command `truebleu`, and so is the function `main`."""

import sys


def main() -> int:
    """Run the command line and return its exit code, also where Ctrl-C comes while modules are being imported."""
    try:
        from truebleu.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
