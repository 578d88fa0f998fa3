"""Folders of the computer of the server, listed when they are looked into."""

from __future__ import annotations

import base64
import datetime
import os
import warnings
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Callable
from urllib.parse import urlencode

from ._acquisition import Acquisition, open
from ._array import DIMS
from ._errors import AcqError, InvalidArgumentError
from ._facts import SplitRecording, date_of, split_of
from ._server import Server, find_server

OF_ONE_FOLDER = {
    "path_not_allowed",
    "path_not_found",
    "path_not_readable",
    # The path is too long.
    "request_validation_failed",
    "storage_unavailable",
}
"""Codes of errors after which other folders can still be listed."""


class File:
    """A file, or a folder that is one acquisition.

    Attributes:
        name: name in its folder.
        path: path on the computer of the server.
        size: bytes; None for a folder, or where the storage did not answer in time.
        modified: when it was last written, or None.
    """

    def __init__(self, server: Server, told: dict[str, Any]) -> None:
        self._server = server
        self.name: str = told["name"]
        self.path: str = told["path"]
        self.size: int | None = told["size"]
        milliseconds = told["modified"]
        self.modified: datetime.datetime | None = (
            None
            if milliseconds is None
            else datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.timezone.utc).astimezone()
        )

    def open(self, **options: Any) -> Acquisition:
        """Opens it, with the options of `acquisition_store.open`."""
        return open(self.path, server=self._server, **options)

    def __repr__(self) -> str:
        return f"<File {self.path}>"


class Recording(File):
    """A recording that `catalog` has found: a file or folder, with the files beside it that belong to it.

    What is in it is asked of the server when it is first needed, unless ``catalog(..., details=True)`` has brought it.

    Attributes:
        size: bytes of all its files, as far as it is known which; None where that was not looked at.
        modified: when the latest of them was written, or None.
        format: name of its format by the first bytes of the file; None for a folder.
        files: number of files and folders that belong to it: by their contents with ``details=True``, else by their
            names.
    """

    def __init__(self, server: Server, told: dict[str, Any]) -> None:
        super().__init__(server, told)
        facts = told.get("recording") or {}
        self.format: str | None = facts.get("format")
        self.files: int = facts.get("files", 1)
        self._told_details: dict[str, Any] | None = facts.get("details")
        if self._told_details and self._told_details["ok"]:
            self.format = self._told_details["formatName"]
            self.files = self._told_details["files"] or self.files
            self.size = self._told_details["size"]

    @property
    def details(self) -> dict[str, Any]:
        """What the server tells of it, as in its API (``RecordingDetails``).

        Raises:
            AcqError: it cannot be opened; the code is the one that opening it has.
        """
        told = self._told_details
        if told is None:
            query = urlencode({"path": self.path})
            told = self._server.transport.json("GET", f"/api/v2/recordings?{query}")["details"]
            self._told_details = told
        if not told["ok"]:
            raise AcqError(told["error"], told["message"])
        return told

    @property
    def error(self) -> AcqError | None:
        """Why it cannot be opened; None when it can."""
        try:
            self.details
        except AcqError as error:
            return error
        return None

    @property
    def sizes(self) -> dict[str, int]:
        """Size of its first scene by dimension: "T", "C", "Z", "Y", "X"."""
        sizes = self.details["sizes"]
        return {dim: len(self.channels) if dim == "C" else sizes[dim] for dim in DIMS}

    @property
    def steps(self) -> dict[str, float]:
        """Distance of neighbors by dimension, in the unit of `units`; 1 where it is not known."""
        return {dim: step["step"] for dim, step in self.details["steps"].items()}

    @property
    def units(self) -> dict[str, str]:
        """Unit by dimension: "seconds", "micrometer", or what is counted, such as "Pixels"."""
        return {dim: step["unit"] for dim, step in self.details["steps"].items()}

    @property
    def channels(self) -> list[str]:
        """Names of the channels, in order."""
        return list(self.details["channels"])

    @property
    def scenes(self) -> int:
        """Number of scenes."""
        return int(self.details["scenes"])

    @property
    def dtype(self) -> str:
        """Type of the samples in the file, such as "uint16"."""
        return str(self.details["dtype"])

    @property
    def date(self) -> datetime.datetime | None:
        """When it was recorded; None where the file does not say it."""
        return date_of({"source": self.details, "header": self.details})

    @property
    def instrument(self) -> dict[str, Any]:
        """What it was taken with, as far as the file states it."""
        return dict(self.details.get("instrument", {}))

    @property
    def recording(self) -> SplitRecording | None:
        """How its files follow each other, where it was written as several; ``None`` for others."""
        return split_of(self.details.get("recording"))

    @property
    def warnings(self) -> list[str]:
        """What was assumed, repaired or found inconsistent, for people."""
        return list(self.details["warnings"])

    @property
    def thumbnail(self) -> bytes | None:
        """A gray PNG image of its first plane, at most 96 pixels wide and high; None where there is none."""
        told = self.details
        if "thumbnail" not in told:
            query = urlencode({"path": self.path, "thumbnail": "true"})
            told = self._server.transport.json("GET", f"/api/v2/recordings?{query}")["details"]
            self._told_details = told
        address = told.get("thumbnail")
        return address and base64.b64decode(address.partition(",")[2])

    def __repr__(self) -> str:
        return f"<Recording {self.path}>"


class Folder(Mapping[str, "Folder | File"]):
    """What can be opened in a folder, and the folders in it, by name in natural order.

    Made by `browse`. It is listed when it is first looked into, and not again; browse it again to see new files.
    """

    def __init__(self, server: Server, path: str | None) -> None:
        self._server = server
        self._path = path

    @cached_property
    def _told(self) -> dict[str, Any]:
        query = "" if self._path is None else f"?{urlencode({'path': self._path})}"
        return self._server.transport.json("GET", f"/api/v2/folders{query}")

    @cached_property
    def _entries(self) -> dict[str, Folder | File]:
        return {
            entry["name"]: Folder(self._server, entry["path"])
            if entry["kind"] == "folder" and not entry["openable"]
            else File(self._server, entry)
            for entry in self._told["entries"]
        }

    @property
    def path(self) -> str | None:
        """Path on the computer of the server; None for the list of places that the server starts with."""
        return self._path

    @property
    def is_truncated(self) -> bool:
        """True when the folder has more entries than the 10,000 that are listed."""
        return bool(self._told["truncated"])

    def files(self) -> Iterator[File]:
        """Yields what can be opened in this folder."""
        return (entry for entry in self.values() if isinstance(entry, File))

    def walk(self, on_error: Callable[[Folder, AcqError], object] | None = None) -> Iterator[File]:
        """Yields what can be opened in this folder and in all folders below it.

        Each folder is listed when it is reached, and once. A folder that cannot be listed is skipped, with a warning
        (``warnings``), unless it is this one.

        Args:
            on_error: called instead with each folder that cannot be listed, also this one, and its error; may raise it.

        Raises:
            AcqError: this folder cannot be listed, or the server does not answer any more.
        """
        # Real paths: a link may lead back to a folder above.
        seen: set[str | None] = set()
        levels: list[Iterator[Folder | File]] = [iter([self])]
        while levels:
            entry = next(levels[-1], None)
            if entry is None:
                levels.pop()
            elif isinstance(entry, File):
                yield entry
            elif (error := entry._fault()) is not None:
                if on_error is not None:
                    on_error(entry, error)
                elif entry is self:
                    raise error
                else:
                    warnings.warn(f"{entry.path} was skipped: {error.message}", stacklevel=2)
            elif entry._told["path"] not in seen:
                seen.add(entry._told["path"])
                if entry.is_truncated:
                    warnings.warn(f"{entry.path} has more entries than the {len(entry):,} listed", stacklevel=2)
                levels.append(iter(entry.values()))

    def _fault(self) -> AcqError | None:
        """Lists the folder, and returns the error when only this folder cannot be listed."""
        try:
            self._told
        except AcqError as error:
            if error.code not in OF_ONE_FOLDER:
                raise
            return error
        return None

    def __getitem__(self, name: str) -> Folder | File:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    # A mapping is equal to one with the same entries, which would have to list both.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<Folder {self._path or 'of the server'}>"


def browse(path: str | os.PathLike[str] | None = None, *, server: Server | str | None = None) -> Folder:
    """Returns a folder of the computer of the server. Nothing is listed before it is looked into.

    Args:
        path: the folder. Default: the folders that the server may open, else the home folder and the drives.
        server: as for `open`.
    """
    used = find_server(server)
    return Folder(used, None if path is None else used.path_of(path))


def catalog(
    path: str | os.PathLike[str],
    *,
    details: bool = False,
    thumbnails: bool = False,
    server: Server | str | None = None,
    on_error: Callable[[str, AcqError], object] | None = None,
) -> Iterator[Recording]:
    """Yields the recordings in a folder and in all folders below it.

    Each recording comes once, without the files that belong to another one, and each folder is listed when it is
    reached. Without ``details`` nothing is opened: names and the first bytes of files decide, and files that only their
    contents link to a recording are yielded, too. A folder that cannot be listed is skipped, with a warning
    (``warnings``), unless it is the first one.

    Args:
        path: the folder, on the computer of the server.
        details: brings what is in each recording, some at a time, and joins files of one recording by their contents.
            Recordings that cannot be opened are yielded, too: see `Recording.error`.
        thumbnails: with ``details``, brings small pictures as well.
        server: as for `open`.
        on_error: called instead with the path of each folder that cannot be listed, and its error; may raise it.

    Raises:
        AcqError: the folder cannot be listed, or the server does not answer any more.
    """
    if thumbnails and not details:
        raise InvalidArgumentError("thumbnails need details=True")
    used = find_server(server)
    choice = {"recordings": "true"}
    if details:
        choice["details"] = "true"
    if thumbnails:
        choice["thumbnails"] = "true"
    return _recordings(used, used.path_of(path), choice, set(), on_error)


def _recordings(
    server: Server,
    path: str,
    choice: dict[str, str],
    seen: set[str],
    on_error: Callable[[str, AcqError], object] | None,
) -> Iterator[Recording]:
    # Trees may be deeper than Python calls functions.
    lists = [_entries(server, path, choice, seen, on_error, is_first=True)]
    while lists:
        entry = next(lists[-1], None)
        if entry is None:
            lists.pop()
        elif entry["openable"]:
            yield Recording(server, entry)
        else:
            lists.append(_entries(server, entry["path"], choice, seen, on_error))


def _entries(
    server: Server,
    path: str,
    choice: dict[str, str],
    seen: set[str],
    on_error: Callable[[str, AcqError], object] | None,
    is_first: bool = False,
) -> Iterator[dict[str, Any]]:
    query = {"path": path, **choice}
    while True:
        try:
            told = server.transport.json("GET", f"/api/v2/folders?{urlencode(query)}")
        except AcqError as error:
            if error.code not in OF_ONE_FOLDER or (is_first and on_error is None):
                raise
            if on_error is not None:
                on_error(path, error)
            else:
                warnings.warn(f"{path} was skipped: {error.message}", stacklevel=2)
            return
        # Real paths: a link may lead back to a folder above.
        if "cursor" not in query:
            if told["path"] in seen:
                return
            seen.add(told["path"])
        yield from told["entries"]
        if "next" not in told:
            if told["truncated"]:
                warnings.warn(f"{path} has more names than the server reads", stacklevel=2)
            return
        query["cursor"] = told["next"]
