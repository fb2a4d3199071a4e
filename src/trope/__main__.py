"""`python -m trope` and `trope`: nothing here but the door, so that Ctrl-C is caught even while
the command line is being imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from trope.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
