"""Which server to use: the one that is named, the one that runs, or one of our own."""

from __future__ import annotations

import atexit
import glob
import hashlib
import hmac
import json
import os
import re
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import urllib.request
from typing import Any, Sequence, cast

from ._arguments import to_path
from ._errors import AcqError
from ._fork import watch_fork
from ._transport import Transport

NEEDED_SERVER = (0, 1)
"""Oldest version of the server that answers everything this client asks for."""
START_SECONDS = 30.0
ANSWER_SECONDS = 3.0
KEPT_ERRORS = 4096
"""Bytes from the end of what a server wrote to its standard error before it could not start."""
MAX_ERRORS = 2**20
"""Bytes in the file of that; longer files are emptied while the server starts."""
MAX_COMPLAINT = 500


class Server:
    """A server of acquisitions.

    Args:
        url: address such as ``http://127.0.0.1:8767``. Default: ACQSTORE_URL, else the server of this user that runs
            on this computer, else one that is started and that ends with this program.
        token: token of the server, if it has one. Default: ACQSTORE_TOKEN.
        command: starts an own server in any case, for example ``["acqstore"]``. Default: ACQSTORE_COMMAND, else
            that of the package ``acquisition-store-server``, else ``acqstore`` of the environment of this Python or on
            the PATH.

    Raises:
        AcqError: ``no_server``, ``server_unreachable`` or ``unauthorized``.
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, command: Sequence[str] | None = None
    ) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        """The process of an own server, else None."""
        self._command = command
        self._lock = threading.RLock()
        self._state_dir: str | None = None
        self._given = url or (None if command else os.environ.get("ACQSTORE_URL")) or None
        self._token = token or os.environ.get("ACQSTORE_TOKEN") or None
        watch_fork(self)
        self.transport = self._connect()

    @property
    def url(self) -> str:
        """Address of the server."""
        return self.transport.url

    @property
    def is_local(self) -> bool:
        """True when paths mean the same to the server as to this program."""
        return self.transport.host in ("127.0.0.1", "::1", "localhost")

    def path_of(self, path: object) -> str:
        """Returns a path for this server: absolute, unless it is on another computer."""
        told = to_path(path)
        return os.path.abspath(os.path.expanduser(told)) if self.is_local else told

    def reconnect(self, failed: Transport) -> Transport:
        """Returns a transport to the server after `failed` stopped working: it may run again at another address."""
        with self._lock:
            if self.transport is failed:
                self.transport = self._connect()
            return self.transport

    def close(self) -> None:
        """Stops the server if this object started it."""
        with self._lock:
            process, self.process = self.process, None
            state_dir, self._state_dir = self._state_dir, None
            atexit.unregister(self.close)
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if state_dir is not None:
            shutil.rmtree(state_dir, ignore_errors=True)

    def after_fork(self) -> None:
        self._lock = threading.RLock()
        # The process and its folder belong to the parent.
        self.process = None
        self._state_dir = None

    def __getstate__(self) -> dict[str, Any]:
        return {"url": self.url, "token": self.transport.token}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Server.__init__(self, state["url"], state["token"])

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Server {self.url}>"

    def _connect(self) -> Transport:
        if self._given:
            transport = Transport(self._given, self._token)
        else:
            found = None if self._command else _find_running()
            transport = found or self._start()
        _check_version(transport)
        return transport

    def _start(self) -> Transport:
        self.close()
        command = _command(self._command)
        # Only then: what is called at the end keeps the connections of this object open until then.
        atexit.register(self.close)
        self._state_dir = tempfile.mkdtemp(prefix="acquisition-store-")
        # Only errors: the log goes to standard error, too, and nobody limits the file that it is in.
        options = ["--stop-with-stdin", "--log-level", "error"]
        arguments = ["serve", "--port", "0", "--state-dir", self._state_dir, *options]
        errors = os.path.join(self._state_dir, "standard-error")
        try:
            self.process = _run([*command, *arguments], errors)
        except OSError as error:
            self.close()
            raise AcqError("no_server", f"{command[0]!r} cannot be started: {error}") from error
        return self._wait(self.process, self._state_dir, errors, command[0])

    def _wait(self, process: subprocess.Popen[bytes], state_dir: str, errors: str, name: str) -> Transport:
        deadline = time.monotonic() + START_SECONDS
        told = b""
        try:
            while time.monotonic() < deadline and process.poll() is None:
                for instance in _instances(state_dir):
                    return Transport(instance["url"], instance.get("token"))
                if os.path.getsize(errors) > MAX_ERRORS:
                    told = _end_of(errors)
                    os.truncate(errors, 0)
                time.sleep(0.03)
            told += _end_of(errors)
        except BaseException:
            self.close()
            raise
        code = process.poll()
        self.close()
        ended = f"ended with exit code {code}" if code is not None else f"did not start in {START_SECONDS:.0f} seconds"
        complaint = _complaint(told.decode(errors="replace"))
        raise AcqError("no_server", f"`{name} serve` {ended}" + (f": {complaint}" if complaint else ""))


def _run(command: Sequence[str], errors: str) -> subprocess.Popen[bytes]:
    """Starts a server whose standard error is appended to a file: a pipe that nobody reads would make it wait."""
    # In a session of its own: Ctrl-C must stop what the user is doing, not the server.
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    with open(errors, "ab") as file:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=file, **apart)


def _end_of(path: str) -> bytes:
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - KEPT_ERRORS))
        return file.read(KEPT_ERRORS)


def _complaint(text: str) -> str:
    """Returns the line that says why a program failed: the last message of the server, else an error, else any."""
    lines = ["".join(map(_visible, line)).strip() for line in text.splitlines()]
    for pattern in (r"acqstore: ", r"(\w+\.)*\w*(Error|Exception)\b.*: ", "."):
        found = [line for line in lines if re.match(pattern, line)]
        if found:
            return found[-1].removeprefix("acqstore: ")[:MAX_COMPLAINT]
    return ""


def _visible(character: str) -> str:
    return character if character.isprintable() else " "


def _check_version(transport: Transport) -> None:
    told = transport.json("GET", "/api/v2")
    version = re.match(r"(\d+)\.(\d+)", str(told.get("serverVersion")))
    if told.get("apiVersion") != "v2" or version is None:
        raise AcqError("not_a_server", f"{transport.url} is not a server of API v2")
    if (int(version[1]), int(version[2])) < NEEDED_SERVER:
        needed = ".".join(map(str, NEEDED_SERVER))
        message = f"{transport.url} is version {told['serverVersion']}; this client needs {needed} or newer"
        raise AcqError("server_too_old", message)


def _command(command: Sequence[str] | None) -> list[str]:
    if command:
        return list(command)
    told = os.environ.get("ACQSTORE_COMMAND")
    if told:
        try:
            return shlex.split(told, posix=sys.platform != "win32")
        except ValueError as error:
            raise AcqError("no_server", f"ACQSTORE_COMMAND is not a command: {error}") from None
    try:
        # The server that was installed with this client, by its extra "server".
        from acquisition_store_server import command as installed
    except ImportError:
        # That of the environment of this Python, which need not be activated.
        found = shutil.which("acqstore", path=sysconfig.get_path("scripts")) or shutil.which("acqstore")
        if found is None:
            raise AcqError("no_server", "no server runs, and the program acqstore is not on the PATH") from None
        return [found]
    return cast("list[str]", installed())


def _state_folder() -> str:
    told = os.environ.get("ACQSTORE_STATE_DIR")
    if told:
        return told
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        base = os.path.join(home, "Library", "Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME") or os.path.join(home, ".local", "state")
    return os.path.join(base, "acquisition-store")


def _instances(state_dir: str) -> list[dict[str, Any]]:
    instances = []
    for path in sorted(glob.glob(os.path.join(glob.escape(state_dir), "instance-*.json"))):
        try:
            with open(path, encoding="utf-8") as file:
                told = json.load(file)
            told["url"], told["secret"], told["hostname"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        instances.append(cast("dict[str, Any]", told))
    return instances


def _find_running() -> Transport | None:
    for told in _instances(_state_folder()):
        # Computers may share a home folder.
        if told["hostname"] == socket.gethostname() and _proves(told["url"], told["secret"]):
            return Transport(told["url"], told.get("token"))
    return None


def _proves(url: str, secret: str) -> bool:
    """True when the server at `url` wrote the instance file: the token must not reach another program on the port."""
    challenge = secrets.token_hex(32)
    expected = hmac.new(secret.encode(), f"acqstore instance {challenge}".encode(), hashlib.sha256).hexdigest()
    return hmac.compare_digest(ask_proof(url, challenge), expected)


def ask_proof(url: str, challenge: str) -> str:
    """Returns what a server on this computer makes of a challenge; nothing where it has no instance file."""
    request = urllib.request.Request(f"{url}/api/v2/health", headers={"x-acqstore-challenge": challenge})
    # Without proxies: the server runs on this computer.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=ANSWER_SECONDS) as answer:
            return str(answer.headers.get("X-Acqstore-Proof") or "")
    except (OSError, ValueError):
        return ""


_default: Server | None = None
_default_lock = threading.Lock()


def find_server(server: Server | str | None) -> Server:
    """Returns the server that a caller has given, or the one of all acquisitions that are opened without one."""
    global _default
    if isinstance(server, Server):
        return server
    if server is not None:
        return Server(server)
    with _default_lock:
        if _default is None:
            _default = Server()
        return _default
