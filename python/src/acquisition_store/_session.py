"""The session of an acquisition on the server: reads, and opens again what has ended."""

from __future__ import annotations

import threading
import weakref
from typing import Any, Callable, NamedTuple, TypeVar

from ._errors import AcqError
from ._fork import watch_fork
from ._server import Server
from ._transport import Transport

T = TypeVar("T")

TTL_SECONDS = 3600
"""Life of a session. Nothing renews it: a session that ended is opened again by the next read."""
_ENDED = {"session_not_found", "session_ended", "server_unreachable"}
_END_TIMEOUT = 2.0


class _State(NamedTuple):
    transport: Transport
    info: dict[str, Any]

    @property
    def base(self) -> str:
        return f"/api/v2/sessions/{self.info['sessionId']}"


class Session:
    """Opens a file, reads from the session, and opens it again once for all threads when the session has ended."""

    def __init__(self, server: Server, request: dict[str, Any], state: _State | None = None) -> None:
        self.server = server
        self.request = request
        self.is_closed = False
        self._lock = threading.Lock()
        self._held = [state or _open(server.transport, request)]
        # Sessions of an acquisition that was not closed would stay on a shared server for an hour.
        self._finalizer = weakref.finalize(self, _end, self._held)
        watch_fork(self)

    @property
    def info(self) -> dict[str, Any]:
        return self._held[0].info

    def read(self, action: Callable[[Transport, str], T]) -> T:
        """Returns what `action` reads with a transport and the address of the session."""
        if self.is_closed:
            raise AcqError("closed", f"{self.info['source']['name']} was closed")
        state = self._held[0]
        try:
            return action(state.transport, state.base)
        except AcqError as error:
            if error.code not in _ENDED:
                raise
        state = self._open_again(state)
        return action(state.transport, state.base)

    def close(self) -> None:
        self.is_closed = True
        self._finalizer()

    def after_fork(self) -> None:
        self._lock = threading.Lock()
        # The session belongs to the parent, which may still read from it.
        self._finalizer.detach()

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_pickle, (self.server, self.request, self.info)

    def _open_again(self, ended: _State) -> _State:
        with self._lock:
            if self._held[0] is ended:
                transport = self.server.reconnect(ended.transport) if _is_down(ended.transport) else ended.transport
                state = _open(transport, self.request)
                if _identity(state.info) != _identity(ended.info):
                    _end([state])
                    name = ended.info["source"]["name"]
                    raise AcqError("source_changed", f"{name} has changed since it was opened")
                self._held[0] = state
            return self._held[0]


def _from_pickle(server: Server, request: dict[str, Any], info: dict[str, Any]) -> Session:
    session = Session(server, request, _State(server.transport, info))
    # The session belongs to the process that opened it.
    session._finalizer.detach()
    return session


def _open(transport: Transport, request: dict[str, Any]) -> _State:
    return _State(transport, transport.json("POST", "/api/v2/open", request))


def _is_down(transport: Transport) -> bool:
    try:
        transport.json("GET", "/api/v2/health")
    except AcqError as error:
        return error.code == "server_unreachable"
    return False


def _end(held: list[_State]) -> None:
    transport, info = held[0]
    # Not over a kept connection: this may run while an answer is being read from it.
    apart = Transport(transport.url, transport.token, _END_TIMEOUT)
    try:
        apart.json("DELETE", f"/api/v2/sessions/{info['sessionId']}")
    except AcqError:
        pass  # It expires.
    finally:
        apart.close()


def _identity(info: dict[str, Any]) -> list[object]:
    names = ("revision", "path")
    source = {name: info["source"].get(name) for name in names}
    return [source, *(info.get(name) for name in ("header", "plane", "selection"))]
