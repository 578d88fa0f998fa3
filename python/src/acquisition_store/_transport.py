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

from ._errors import AcqError
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
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not the address of a server; expected http://HOST:PORT")
        self.url = url.rstrip("/")
        self.token = token or None
        self.host = parts.hostname
        self.timeout = timeout
        self._connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._port = parts.port
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
        data = None if body is None else json.dumps(body).encode()
        return self._ask(method, path, data, lambda response: cast("dict[str, Any]", json.loads(response.read())))

    def content(self, path: str) -> bytes:
        """Returns the body of a successful answer."""
        return self._ask("GET", path, None, lambda response: response.read())

    def array(self, method: str, path: str, body: object = None) -> npt.NDArray[Any]:
        """Returns an array of the shape and type that the answer announces."""
        data = None if body is None else json.dumps(body).encode()

        def read(response: Response) -> npt.NDArray[Any]:
            shape = [int(size) for size in response.headers["X-Array-Shape"].split(",")]
            out = np.empty(shape, np.dtype(response.headers["X-Array-Dtype"]))
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
            kept: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
            connection = kept or self._connect(self.host, self._port, timeout=self.timeout)
            self._local.connection = connection
            try:
                connection.request(method, self._prefix + path, body, headers)
                return connection.getresponse()
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # The server closes connections that were idle for some time.
                self._drop()
                if kept is None:
                    raise

    def _drop(self) -> None:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection is not None:
            connection.close()


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
        return AcqError("internal_error", f"HTTP {response.status} {response.reason}", response.status)
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
