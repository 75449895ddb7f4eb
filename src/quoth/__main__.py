"""The console script, and ``python -m quoth``."""

from __future__ import annotations


def main() -> None:
    """Run `quoth` with the arguments of the process; ends the process with its exit code."""
    from quoth.surfaces.cli import main as run

    run()


if __name__ == "__main__":
    main()
