"""The `lissom` command: `python -m lissom import hero.glb -o hero.lsm`."""

import signal
import sys

from ._lissom import _run_command


def main() -> int:
    """Runs the command with the arguments of this process; its exit code."""
    # Work runs outside of Python, which would hear of Ctrl-C only afterwards.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _run_command(["lissom", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
