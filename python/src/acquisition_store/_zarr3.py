"""The store for zarr 3."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, cast

from zarr.abc.store import ByteRequest, OffsetByteRequest, RangeByteRequest, Store
from zarr.core.buffer import Buffer, BufferPrototype

from ._zarr import Keys

if TYPE_CHECKING:
    from ._acquisition import Acquisition


class KeyStore(Store):
    """Keys of the OME-Zarr 0.5 tree of a scene, read-only."""

    supports_writes = False
    supports_deletes = False
    supports_partial_writes = False
    supports_listing = False

    def __init__(self, acquisition: Acquisition) -> None:
        super().__init__(read_only=True)
        self._acquisition = acquisition
        self._keys = Keys(acquisition, "0.5")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyStore) and other._acquisition is self._acquisition

    async def get(
        self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        try:
            value = await asyncio.to_thread(self._keys.__getitem__, key)
        except KeyError:
            return None
        return cast(Buffer, prototype.buffer.from_bytes(_part(value, byte_range)))

    async def get_partial_values(
        self, prototype: BufferPrototype, key_ranges: Iterable[tuple[str, ByteRequest | None]]
    ) -> list[Buffer | None]:
        return list(await asyncio.gather(*(self.get(key, prototype, part) for key, part in key_ranges)))

    async def exists(self, key: str) -> bool:
        return await asyncio.to_thread(self._keys.__contains__, key)

    async def set(self, key: str, value: Buffer) -> None:
        raise PermissionError("an acquisition is read-only")

    async def delete(self, key: str) -> None:
        raise PermissionError("an acquisition is read-only")

    async def list(self) -> AsyncIterator[str]:
        raise NotImplementedError("the tree cannot be listed; its groups have consolidated metadata")
        yield ""

    def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        return self.list()

    def list_dir(self, prefix: str) -> AsyncIterator[str]:
        return self.list()


def _part(value: bytes, byte_range: ByteRequest | None) -> bytes:
    if byte_range is None:
        return value
    if isinstance(byte_range, RangeByteRequest):
        return value[byte_range.start : byte_range.end]
    if isinstance(byte_range, OffsetByteRequest):
        return value[byte_range.offset :]
    return value[-byte_range.suffix :]
