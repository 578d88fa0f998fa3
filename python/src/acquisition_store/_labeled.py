"""dask and xarray, imported when they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask.array
import numpy as np

from ._array import DIMS

if TYPE_CHECKING:
    import xarray

    from ._acquisition import Acquisition


def to_dask(acquisition: Acquisition) -> dask.array.Array:
    lazy = acquisition.array()
    meta = np.empty((0,) * lazy.ndim, lazy.dtype)
    # Without a name that is computed from the samples, and without a lock: threads read at the same time.
    from_array: Any = dask.array.from_array
    array: dask.array.Array = from_array(lazy, chunks=lazy.chunks, name=False, asarray=False, lock=False, meta=meta)
    return array


def to_xarray(acquisition: Acquisition) -> xarray.DataArray:
    import xarray

    array = to_dask(acquisition)
    coords: dict[str, Any] = {"C": acquisition.channels}
    for dim, size in zip(DIMS, array.shape):
        if dim == "C" or dim not in acquisition.sizes:
            continue
        unit = acquisition.units[dim]
        attrs = {"units": unit} if unit in ("seconds", "micrometer") else {}
        coords[dim] = (dim, np.arange(size) * acquisition.steps[dim], attrs)
    about: dict[str, Any] = {"path": acquisition.path, "warnings": acquisition.warnings}
    return xarray.DataArray(array, dims=DIMS, coords=coords, name=acquisition.name, attrs=about)
