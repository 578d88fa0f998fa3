"""HTTP with the standard library: one connection for each thread, arrays read in place."""

from __future__ import annotations

import http.client
import json
import threading
import time
from typing import Any, Callable, TypeVar, cast
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from ._arguments import to_json
from ._errors import AcqError, InvalidArgumentError
from ._fork import watch_fork

T = TypeVar("T")
Response = http.client.HTTPResponse

TIMEOUT = 300.0
"""Seconds without a byte after which a request fails. Above the longest --open-timeout in practice."""
BUSY_TRIES = 6
MAX_PAUSE = 5.0


class Transport:
    """Requests to one server. Threads may share it; a forked process makes connections of its own."""

    def __init__(self, url: str, token: str | None = None, timeout: float = TIMEOUT) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
        except (AttributeError, TypeError, ValueError):
            raise _no_address(url) from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise _no_address(url)
        self.url = url.rstrip("/")
        self.token = token or None
        self.host = parts.hostname
        self.timeout = timeout
        self._connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._port = port
        self._prefix = parts.path.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._local = threading.local()
        watch_fork(self)

    def after_fork(self) -> None:
        self._local = threading.local()

    def close(self) -> None:
        """Closes the connection of this thread."""
        self._drop()

    def json(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Returns the JSON object of a successful answer."""
        data = None if body is None else to_json(body)

        def read(response: Response) -> dict[str, Any]:
            try:
                told = json.loads(response.read())
            except ValueError:
                told = None
            if not isinstance(told, dict):
                raise self._not_a_server(path, "is not JSON")
            return cast("dict[str, Any]", told)

        return self._ask(method, path, data, read)

    def content(self, path: str) -> bytes:
        """Returns the body of a successful answer."""
        return self._ask("GET", path, None, lambda response: response.read())

    def array(self, method: str, path: str, body: object = None) -> npt.NDArray[Any]:
        """Returns an array of the shape and type that the answer announces."""
        data = None if body is None else to_json(body)

        def read(response: Response) -> npt.NDArray[Any]:
            try:
                shape = [int(size) for size in response.headers["X-Array-Shape"].split(",")]
                out = np.empty(shape, np.dtype(response.headers["X-Array-Dtype"]))
            except (AttributeError, TypeError, ValueError):
                raise self._not_a_server(path, "has no array") from None
            _fill(response, out)
            return out

        return self._ask(method, path, data, read)

    def fill(self, path: str, out: npt.NDArray[Any]) -> None:
        """Reads the samples at `path` into `out`, which is contiguous and of exactly their size."""
        self._ask("GET", path, None, lambda response: _fill(response, out))

    def open(self, path: str) -> Response:
        """Returns a successful answer that is not read yet. Nothing else may use this transport until it is closed."""
        response = self._send("GET", path, None)
        if response.status < 300:
            return response
        refusal = _error(response)
        raise refusal.error if isinstance(refusal, _Busy) else refusal

    def _not_a_server(self, path: str, fault: str) -> AcqError:
        return AcqError("not_a_server", f"the answer of {self.url}{path.partition('?')[0]} {fault}")

    def _ask(self, method: str, path: str, body: bytes | None, read: Callable[[Response], T]) -> T:
        for tries_left in reversed(range(BUSY_TRIES)):
            try:
                response = self._send(method, path, body)
                if response.status < 300:
                    return read(response)
                raise _error(response)
            except _Busy as busy:
                if tries_left == 0:
                    raise busy.error from None
                time.sleep(busy.pause)
            except AcqError as error:
                # The whole answer was read, so the connection can be used again; else it cannot.
                if error.status is None:
                    self._drop()
                raise
            except (OSError, http.client.HTTPException) as error:
                self._drop()
                raise AcqError("server_unreachable", f"{self.url} does not answer: {error!r}") from error
            except BaseException:  # Ctrl-C in the middle of an answer: the rest must not be read as the next one.
                self._drop()
                raise
        raise AssertionError("unreachable")

    def _send(self, method: str, path: str, body: bytes | None) -> Response:
        headers = {**self._headers, **({} if body is None else {"Content-Type": "application/json"})}
        while True:
            kept: _Kept | None = getattr(self._local, "kept", None)
            connection = kept.connection if kept else self._connect(self.host, self._port, timeout=self.timeout)
            if kept is None:
                self._local.kept = _Kept(connection)
            try:
                connection.request(method, self._prefix + path, body, headers)
                return connection.getresponse()
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # The server closes connections that were idle for some time.
                self._drop()
                if kept is None:
                    raise

    def _drop(self) -> None:
        kept: _Kept | None = getattr(self._local, "kept", None)
        self._local.kept = None
        if kept is not None:
            kept.connection.close()


class _Kept:
    """The connection of a thread, which is closed when the thread or the transport is gone."""

    def __init__(self, connection: http.client.HTTPConnection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        self.connection.close()


def _no_address(url: object) -> InvalidArgumentError:
    return InvalidArgumentError(f"{url!r} is not the address of a server; expected http://HOST:PORT")


class _Busy(Exception):
    def __init__(self, error: AcqError, pause: float) -> None:
        super().__init__()
        self.error = error
        self.pause = pause


def _error(response: Response) -> Exception:
    body = response.read()
    try:
        told = json.loads(body)
        error = AcqError(told["error"], told["message"], response.status, told.get("details"))
    except (ValueError, KeyError, TypeError):
        # A proxy answers 5xx when the server is down; 3xx and 4xx without JSON are those of another program.
        code = "not_a_server" if response.status < 500 else "internal_error"
        return AcqError(code, f"HTTP {response.status} {response.reason}", response.status)
    if error.code != "capacity_exceeded":
        return error
    try:
        pause = float(response.headers["Retry-After"])
    except (TypeError, ValueError):
        return error
    return _Busy(error, min(MAX_PAUSE, pause))


def _fill(response: Response, out: npt.NDArray[Any]) -> None:
    if response.length != out.nbytes:
        raise AcqError("incomplete", f"the server announced {response.length} bytes; expected {out.nbytes}")
    if out.size == 0:
        response.read()
        return
    view = memoryview(cast(Any, out.reshape(-1).view(np.uint8)))
    at = 0
    while at < out.nbytes:
        count = response.readinto(view[at:])
        if count == 0:
            raise AcqError("incomplete", f"the connection ended after {at} of {out.nbytes} bytes")
        at += count
    response.read()
