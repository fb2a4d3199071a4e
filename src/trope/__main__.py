"""`python -m trope` is `trope`."""

from trope.cli import main

main()
