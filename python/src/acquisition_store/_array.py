"""All planes of a scene as one array that reads what is indexed."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, SupportsIndex
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._acquisition import Acquisition

DIMS = ("T", "C", "Z", "Y", "X")
CHUNK_BYTES = 16 * 2**20


class LazyArray:
    """Planes of an acquisition as an array with the dimensions T, C, Z, Y, X, in the type of the file.

    Indexing with integers, slices and ``...``, and names of channels, reads exactly the samples of the result, with one
    request for each plane, and returns a numpy array. Nothing is kept. ``numpy.asarray(array)`` reads everything.

    Attributes:
        shape: sizes of T, C, Z, Y, X; dimensions that the file does not have are 1.
        dtype: type of the samples.
        chunks: shape of a part that is efficient to read at once; used by dask.
    """

    ndim = 5
    dims = DIMS

    def __init__(self, acquisition: Acquisition) -> None:
        info = acquisition.info
        self._acquisition = acquisition
        self._channels: list[int] = [channel["index"] for channel in info["channels"]]
        self._selectable = acquisition._selectable
        self._is_projection = "projection" in info
        times, channels, sections, rows, columns = acquisition.sizes.values()
        self.shape: tuple[int, int, int, int, int] = (times, channels, sections, rows, columns)
        self.dtype: np.dtype[Any] = np.dtype("<f4") if self._is_projection else acquisition.dtype
        chunk_rows = max(1, min(rows, CHUNK_BYTES // (columns * self.dtype.itemsize)))
        self.chunks: tuple[int, int, int, int, int] = (1, 1, 1, chunk_rows, columns)

    @property
    def size(self) -> int:
        """Number of samples."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """Bytes of all samples."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("the samples are on the server, so they cannot be used without a copy")
        return self[...].astype(self.dtype if dtype is None else dtype, copy=False)

    def __getitem__(self, index: Any) -> npt.NDArray[Any]:
        t, c, z, y, x = parts = _parts(index, self.shape, self._position)
        out = np.empty([len(part.indices) for part in parts], self.dtype)
        if out.size > 0:
            for place in np.ndindex(out.shape[:3]):
                plane = (t.indices[place[0]], c.indices[place[1]], z.indices[place[2]])
                self._read(plane, (y.indices, x.indices), out[place])
        return out[tuple(part.result for part in parts)]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            text = f"{type(self).__name__!r} object has no attribute {name!r}"
            if not name.startswith("_") and hasattr(np.ndarray, name):
                text += ". It is not read yet: use array()[...] for a numpy array, or to_dask()"
            raise AttributeError(text, name=name, obj=self)

    def _position(self, channel: str) -> int:
        return self._channels.index(self._acquisition._channel(channel)["index"])

    def __repr__(self) -> str:
        sizes = ", ".join(f"{dim} {size}" for dim, size in zip(DIMS, self.shape))
        return f"<LazyArray {sizes}; {self.dtype.name}>"

    def _read(self, plane: tuple[int, int, int], grid: tuple[range, range], out: npt.NDArray[Any]) -> None:
        t, c, z = plane
        places = {"T": t, "Z": z}
        query = {dim: str(places[dim]) for dim in self._selectable}
        rows, columns = grid
        query["rows"] = f"{rows[0]}:{rows[-1] + 1}"
        query["columns"] = f"{columns[0]}:{columns[-1] + 1}"
        query["every"] = f"{rows.step},{columns.step}"
        if not self._is_projection:
            query["type"] = "native"
        path = f"/channels/{self._channels[c]}/window?{urlencode(query, safe=':,')}"
        self._acquisition._read(lambda transport, base: transport.fill(base + path, out))


class _Part(NamedTuple):
    """What to read of one dimension, in ascending order, and what of that is the result."""

    indices: range
    result: int | slice


def _parts(index: Any, shape: tuple[int, ...], position_of: Callable[[str], int]) -> list[_Part]:
    given = index if isinstance(index, tuple) else (index,)
    ellipses = sum(1 for item in given if item is Ellipsis)
    missing = len(shape) - (len(given) - ellipses)
    if ellipses > 1:
        raise IndexError("an index can have only one '...'")
    if missing < 0:
        raise IndexError(f"the array has {len(shape)} dimensions, but {len(given) - ellipses} were indexed")
    at = next((i for i, item in enumerate(given) if item is Ellipsis), len(given))
    whole = (slice(None),) * missing
    full = (*given[:at], *whole, *given[at + ellipses :])
    return [
        _part(position_of(item) if dim == "C" and isinstance(item, str) else item, size, dim)
        for item, size, dim in zip(full, shape, DIMS)
    ]


def _part(item: slice | SupportsIndex, size: int, dim: str) -> _Part:
    if isinstance(item, slice):
        indices = range(*item.indices(size))
        return _Part(indices, slice(None)) if indices.step > 0 else _Part(indices[::-1], slice(None, None, -1))
    try:
        number = operator.index(item)
        if isinstance(item, (bool, np.bool_)):
            raise TypeError
    except TypeError:
        names = "names of channels, " if dim == "C" else ""
        message = f"index {item!r} of {dim}: use integers, {names}slices and '...', or index numpy.asarray(array)"
        raise IndexError(message) from None
    if not -size <= number < size:
        raise IndexError(f"index {number} is outside of {dim}, which has {size} entries")
    number %= size
    return _Part(range(number, number + 1), 0)
