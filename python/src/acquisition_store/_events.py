"""What a session tells while its files are written."""

from __future__ import annotations

import http.client
import json
from typing import TYPE_CHECKING, Iterator, NamedTuple

from ._errors import AcqError
from ._session import Session
from ._transport import Transport

if TYPE_CHECKING:
    from ._acquisition import Acquisition

SILENCE = 60.0
"""Seconds without a byte after which the server is taken for gone; it sends a comment every ten."""


class Event(NamedTuple):
    """What has happened.

    Attributes:
        type: "state" first, "changed" when a file has grown, was replaced or was added, "ended" last.
        revision: identifies the state of the files; None while their storage does not answer, and for "ended".
        reason: for "ended": "deleted", "expired" or "stopped"; else None.
    """

    type: str
    revision: str | None
    reason: str | None


def read_events(transport: Transport, path: str) -> Iterator[Event]:
    """Yields events until the session ends. The connection is one of its own: planes may be read meanwhile."""
    apart = Transport(transport.url, transport.token, SILENCE)
    try:
        response = apart.open(path)
        kind = ""
        for line in response:
            name, _, value = line.decode().rstrip("\r\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "data" and kind in ("state", "changed", "ended"):
                told = json.loads(value)
                yield Event(kind, told.get("revision"), told.get("reason"))
                if kind == "ended":
                    return
        raise AcqError("server_unreachable", f"{transport.url}: the connection ended before the session did")
    except (OSError, http.client.HTTPException) as error:
        raise AcqError("server_unreachable", f"{transport.url} does not answer: {error!r}") from error
    finally:
        apart.close()


def follow(first: Acquisition) -> Iterator[Acquisition]:
    """Yields the acquisition, and opens it again whenever it has changed."""
    current = first
    known = _revision(first)
    try:
        yield current
        while (found := _next_revision(current, known)) is not None:
            try:
                session = Session(first.server, first._session.request)
            except AcqError as error:
                # The header may be half written: the next change brings the rest.
                if error.code not in ("decode_failed", "unsupported_format", "companion_missing"):
                    raise
                known = found
                continue
            previous, current = current, type(first)(session)
            known = _revision(current)
            if previous is not first:
                previous.close()
            yield current
    finally:
        if current is not first:
            current.close()


def _revision(acquisition: Acquisition) -> str:
    return str(acquisition.info["source"]["revision"])


def _next_revision(acquisition: Acquisition, known: str) -> str | None:
    """Waits for another revision than the known one; empty when the session has expired, None when it has ended."""
    for event in acquisition.events():
        if event.type == "ended":
            return "" if event.reason == "expired" else None
        if event.revision not in (None, known):
            return event.revision
    return None
