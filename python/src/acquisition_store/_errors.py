"""What can go wrong, with a code that programs can use and a hint for people."""

from __future__ import annotations

from typing import Any

HINTS = {
    "no_server": "Start one with `npm start` in a clone of the server, or with `acqstore serve`. "
    "ACQSTORE_URL names a server, ACQSTORE_COMMAND a command that starts one, and the extra \"server\" of this package "
    "brings one.",
    "server_unreachable": "Check that the server runs and that the address is right.",
    "unauthorized": "Pass the token of the server as Server(url, token=...) or in ACQSTORE_TOKEN.",
    "path_not_found": "The server looks for the path on its own machine.",
    "path_not_allowed": "Start the server with --root for the folder of the file.",
    "source_changed": "Open the file again to read what it contains now.",
    "capacity_exceeded": "Close acquisitions that are not needed, or start the server with a larger --memory-budget.",
    "plane_too_large": "Start the server with a larger --max-plane-bytes or --memory-budget.",
    "closed": "Read inside the `with` block, or open the file again.",
    "not_a_server": "Check that the address is that of an Acquisition Store Server, and not of a page or a proxy that "
    "asks for a login.",
    "server_too_old": "Install a newer server, and start it again.",
    "selection_out_of_range": "Indices count from 0, or from the end when they are negative.",
}


class AcqError(Exception):
    """An operation that failed.

    Attributes:
        code: stable machine code; those of the server are listed in docs/errors.md of the server.
        message: what is wrong and where, for people; may change.
        hint: what to do about it; empty when the message says it.
        status: HTTP status, or None when the server was not asked.
        details: every fault of a request that is not valid, else None.
    """

    def __init__(
        self, code: str, message: str, status: int | None = None, details: list[dict[str, Any]] | None = None
    ) -> None:
        super().__init__(code, message, status, details)
        self.code = code
        self.message = message
        self.hint = HINTS.get(code, "")
        self.status = status
        self.details = details

    def __str__(self) -> str:
        text = f"{self.code}: {self.message}"
        return f"{text}\nHint: {self.hint}" if self.hint else text


class InvalidArgumentError(AcqError, ValueError):
    """An argument that no request can be made of. Also a ValueError."""

    def __init__(self, message: str) -> None:
        super().__init__("invalid_argument", message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message,)


class ChannelNotFoundError(AcqError, KeyError):
    """There is no channel with this name or index. Also a KeyError."""

    def __init__(self, channel: object, source: str, names: list[str]) -> None:
        available = ", ".join(f"{name!r}" for name in names)
        super().__init__("channel_not_found", f"{source} has no channel {channel!r}. Its channels are {available}.")
        self._arguments = (channel, source, names)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._arguments
