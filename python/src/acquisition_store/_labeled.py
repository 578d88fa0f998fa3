"""dask and xarray, imported when they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask.array
import numpy as np

from ._array import DIMS
from ._errors import AcqError
from ._scenes import with_scene
from ._session import Session

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
    coords: dict[str, Any] = {"C": acquisition.channels, **_channel_coords(acquisition)}
    for dim, size in zip(DIMS, array.shape):
        if dim not in acquisition.units or dim == "C":
            continue
        unit = acquisition.units[dim]
        attrs = {"units": unit} if unit in ("seconds", "micrometer") else {}
        measured = acquisition.coordinates.get(dim)
        places = np.arange(size) * acquisition.steps[dim] if measured is None else measured
        coords[dim] = (dim, places, attrs)
    about: dict[str, Any] = {"path": acquisition.path, "warnings": acquisition.warnings}
    if acquisition.instrument:
        about["instrument"] = acquisition.instrument
    if acquisition.date:
        about["date"] = acquisition.date.isoformat()
    return xarray.DataArray(array, dims=DIMS, coords=coords, name=acquisition.name, attrs=about)


def to_datatree(acquisition: Acquisition) -> xarray.DataTree:
    import xarray

    if not hasattr(xarray, "DataTree"):
        raise AcqError("needs_newer_package", "a DataTree needs xarray 2024.10 or newer; to_xarray() needs none")
    from ._acquisition import Acquisition as Opened

    nodes: dict[str, xarray.Dataset] = {}
    for index, name in enumerate(acquisition.scenes):
        scene = Opened(Session(acquisition.server, with_scene(acquisition._session.request, acquisition.info, index)))
        # A slash would make a node of its own, "." is the tree itself, and two scenes may have one name.
        key = name.replace("/", "_") if name.strip(".") else f"scene {index}"
        while key in nodes:
            key = f"{key} ({index})"
        nodes[key] = to_xarray(scene).rename("image").to_dataset()
    tree: xarray.DataTree = xarray.DataTree.from_dict(nodes, name=acquisition.name.replace("/", "_"))
    return tree


CHANNEL_FIELDS = {
    "color": "color",
    "fluorophore": "fluorophore",
    "excitationNm": "excitation",
    "emissionNm": "emission",
}
"""Fields of a channel, and their names as coordinates along C."""


def _channel_coords(acquisition: Acquisition) -> dict[str, Any]:
    """Returns what the file states of channels. A band of wavelengths is known by its middle."""
    coords: dict[str, Any] = {}
    for field, name in CHANNEL_FIELDS.items():
        told = [channel.get(field) for channel in acquisition.info["channels"]]
        if all(value is None for value in told):
            continue
        if field.endswith("Nm"):
            values = [np.nan if value is None else float(np.mean(value)) for value in told]
            coords[name] = ("C", np.array(values), {"units": "nanometer"})
        else:
            coords[name] = ("C", ["" if value is None else value for value in told])
    return coords
