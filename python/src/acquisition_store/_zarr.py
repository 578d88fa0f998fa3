"""A scene as a group of zarr 2 or 3 that never turns an error into zeros."""

from __future__ import annotations

import json
from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any, cast

import zarr

from ._errors import AcqError

if TYPE_CHECKING:
    from ._acquisition import Acquisition


def open_group(acquisition: Acquisition) -> zarr.Group:
    if int(zarr.__version__.split(".")[0]) >= 3:
        from ._zarr3 import KeyStore

        return zarr.open_group(KeyStore(acquisition), mode="r", zarr_format=3)
    return zarr.open_group(cast(Any, Keys(acquisition, "0.4")), mode="r")


class Keys(MutableMapping[str, bytes]):
    """Keys of the OME-Zarr tree of a scene. Only keys that the tree does not have are missing."""

    def __init__(self, acquisition: Acquisition, version: str) -> None:
        self._acquisition = acquisition
        self._scene = str(acquisition.info["zarr"][version].rpartition("/")[2])
        self._version = version

    def __getitem__(self, key: str) -> bytes:
        path = f"/{self._version}.ome.zarr/{self._scene}/{key}"
        try:
            return self._acquisition._read(lambda transport, base: transport.content(base + path))
        except AcqError as error:
            if error.code == "not_found":
                raise KeyError(key) from None
            raise

    def __contains__(self, key: object) -> bool:
        try:
            self[str(key)]
        except KeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(json.loads(self[".zmetadata"])["metadata"])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __setitem__(self, key: str, value: bytes) -> None:
        raise PermissionError("an acquisition is read-only")

    def __delitem__(self, key: str) -> None:
        raise PermissionError("an acquisition is read-only")
