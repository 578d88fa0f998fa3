"""An image in one call."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Sequence, overload

import numpy.typing as npt

from ._acquisition import open
from ._server import Server

if TYPE_CHECKING:
    import dask.array


@overload
def imread(
    path: str | os.PathLike[str],
    *,
    scene: int | str | None = None,
    channels: Sequence[int | str] | None = None,
    chunks: None = None,
    server: Server | str | None = None,
) -> npt.NDArray[Any]: ...


@overload
def imread(
    path: str | os.PathLike[str],
    *,
    scene: int | str | None = None,
    channels: Sequence[int | str] | None = None,
    chunks: Any,
    server: Server | str | None = None,
) -> dask.array.Array: ...


def imread(
    path: str | os.PathLike[str],
    *,
    scene: int | str | None = None,
    channels: Sequence[int | str] | None = None,
    chunks: Any = None,
    server: Server | str | None = None,
) -> Any:
    """Reads all planes of a scene as an array T, C, Z, Y, X in the type of the file.

    Args:
        path: file or folder, as for `open`.
        scene: name or index of a scene; the first by default.
        channels: names or indices of the channels to read, in this order. Default: all.
        chunks: returns a dask array, which reads a chunk when it is computed: "auto" for planes, or whatever
            ``dask.array.Array.rechunk`` takes, such as ``{0: 10}``. The file stays open as long as the array is used.
        server: as for `open`.
    """
    opened = open(path, scene=scene, channels=channels, server=server)
    if chunks is not None:
        array: Any = opened.to_dask()
        return array if isinstance(chunks, str) and chunks == "auto" else array.rechunk(chunks)
    with opened:
        return opened.array()[...]
