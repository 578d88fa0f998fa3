"""An opened acquisition."""

from __future__ import annotations

import datetime
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence, TypeVar

import numpy as np
import numpy.typing as npt

from ._arguments import to_mapping
from ._array import DIMS, LazyArray
from ._facts import SplitRecording, VoxelSize, date_of, split_of
from ._notebook import to_bundle
from ._planes import Planes
from ._reference import Reference
from ._scenes import find_channel, open_session, scenes_of, with_scene
from ._server import Server, find_server
from ._session import TTL_SECONDS, Session
from ._transport import Transport

if TYPE_CHECKING:
    import dask.array
    import pandas
    import xarray
    import zarr

    from ._events import Event
    from ._viewer import Viewer

T = TypeVar("T")

ROWS = 100_000
"""Values of an axis, and rows of a table, in one answer of the server."""


def open(
    path: str | os.PathLike[str],
    *,
    server: Server | str | None = None,
    scene: int | str | None = None,
    channels: Sequence[int | str] | None = None,
    selection: Mapping[str, int] | None = None,
    projection: Mapping[str, str] | None = None,
    calibration: Mapping[str, Mapping[str, object]] | None = None,
    interpret: Mapping[str, object] | None = None,
    parts: str | None = None,
) -> Acquisition:
    """Opens an acquisition. Reads its metadata, but no samples.

    Args:
        path: file or folder. Relative paths and ``~`` are those of this program, unless the server is on another
            computer.
        server: a `Server` or its address. Default: see `Server`; the same one for all calls.
        scene: name or index of a scene (position, series); the same as ``selection={"S": scene}``.
        channels: names or indices of the channels to use, in this order. Default: all.
        selection: index by dimension, such as ``{"T": 5, "Z": 2}``: the plane that `Acquisition.plane` returns.
        projection: ``{"Z": "max"}``, ``{"T": "mean"}``: opens a projection in place of planes.
        calibration: steps that replace those of the file, such as ``{"Y": {"step": 0.00117, "unit": "seconds"}}``.
        interpret: what the planes are, for a file that does not say it: ``{"axes": {"T": 7, "C": 2}}``.
        parts: ``"all"`` opens the recording that the file is a part of, see `Acquisition.recording`. Default: the file
            alone.

    Negative indices count from the end.

    Raises:
        AcqError: with the code of the server, such as ``path_not_found`` or ``unsupported_format``.
    """
    used = find_server(server)
    request: dict[str, Any] = {"path": used.path_of(path), "decode": "later", "ttlSeconds": TTL_SECONDS}
    optional = {"projection": projection, "calibration": calibration, "interpret": interpret}
    request.update({name: to_mapping(value, name) for name, value in optional.items() if value is not None})
    if parts is not None:
        request["parts"] = parts
    chosen = {**to_mapping(selection or {}, "selection"), **({} if scene is None else {"S": scene})}
    return Acquisition(open_session(used, request, chosen, channels))


class Acquisition(Planes):
    """An opened acquisition: metadata, and planes that are read when they are asked for.

    Made by `acquisition_store.open`. Use it in a ``with`` block, or call `close`. Threads may share it; forked
    processes may use it, and it can be pickled for other processes of the same computer.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def info(self) -> dict[str, Any]:
        """The answer of the server to the open request."""
        return self._session.info

    @property
    def server(self) -> Server:
        """The server that reads the file."""
        return self._session.server

    @property
    def name(self) -> str:
        """Name of the file or folder."""
        return str(self.info["source"]["name"])

    @property
    def path(self) -> str:
        """Path of the file or folder on the machine of the server."""
        return str(self.info["source"]["path"])

    @property
    def recording(self) -> SplitRecording | None:
        """The recording in several files that the file is a part of; ``None`` for others.

        ``open(path, parts="all")`` opens it.
        """
        return split_of(self.info["source"].get("recording"))

    @property
    def channels(self) -> list[str]:
        """Names of the channels, in order."""
        return [channel["name"] for channel in self.info["channels"]]

    @property
    def scenes(self) -> list[str]:
        """Names of the scenes of the file, in order; for `open(path, scene=...)` and `open_scenes`."""
        return scenes_of(self.info)

    @property
    def dims(self) -> tuple[str, ...]:
        """("T", "C", "Z", "Y", "X"): the dimensions of `sizes`, `array`, `to_xarray` and `zarr`, in this order.

        ``info["header"]["dims"]`` has those of the file.
        """
        return DIMS

    @property
    def sizes(self) -> dict[str, int]:
        """Size by dimension of `dims`; 1 for those that the file does not have."""
        told = self.info["header"]["sizes"]
        projected = self.info.get("projection", {})
        rows, columns = self.shape
        times, sections = (1 if dim in projected else told.get(dim, 1) for dim in ("T", "Z"))
        return {"T": times, "C": len(self.info["channels"]), "Z": sections, "Y": rows, "X": columns}

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of a plane. In a line scan a row is a line."""
        rows, columns = self.info["plane"]["shape"]
        return rows, columns

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the samples in the file; float16 is read as float32."""
        told = np.dtype(self.info["header"]["dtype"])
        return np.dtype("<f4") if told == np.float16 else told.newbyteorder("<")

    @property
    def steps(self) -> dict[str, float]:
        """Distance of neighbors by dimension, in the unit of `units`; 1 where the file does not contain it.

        Only dimensions that the file has, in the order of `dims`.
        """
        return self._by_dimension("physicalUnits")

    @property
    def units(self) -> dict[str, str]:
        """Unit by dimension: "seconds", "micrometer", or what is counted, such as "Pixels"."""
        return self._by_dimension("physicalUnitsLabels")

    @property
    def _selectable(self) -> list[str]:
        projected = self.info.get("projection", {})
        return [dim for dim in ("T", "Z") if dim in self.info["header"]["sizes"] and dim not in projected]

    def _by_dimension(self, field: str) -> dict[str, Any]:
        header = self.info["header"]
        told = dict(zip(header["dims"], header[field]))
        return {dim: told[dim] for dim in DIMS if dim in told}

    @property
    def voxel_size(self) -> VoxelSize:
        """Steps of z, y and x in micrometers; None for an axis without one, as for the lines of a line scan."""
        steps, units = self.steps, self.units
        return VoxelSize(*(steps[dim] if units.get(dim) == "micrometer" else None for dim in "ZYX"))

    @property
    def colors(self) -> list[str | None]:
        """Color of each channel, "#RRGGBB"; None where the file does not state it."""
        return [channel.get("color") for channel in self.info["channels"]]

    @property
    def date(self) -> datetime.datetime | None:
        """When the scene was recorded; None where the file does not say it.

        With a time zone where the file states one, else in the time of the microscope.
        """
        return date_of(self.info)

    @property
    def is_line_scan(self) -> bool:
        """True when the rows of a plane are lines in time."""
        return self.units["Y"] == "seconds"

    @property
    def warnings(self) -> list[str]:
        """What the file lacks or contradicts, for people."""
        return list(self.info["warnings"])

    @property
    def reference(self) -> Reference | None:
        """The image on which a line scan was drawn, or None."""
        told = self.info["reference"]
        return None if told is None else Reference(self, told)

    @property
    def instrument(self) -> dict[str, Any]:
        """What the scene was taken with, as far as the file states it: ``objective``, ``zoom``, ``stage``, …

        Dyes, wavelengths and detectors are in ``info["channels"]``.
        """
        return dict(self.info["source"].get("instrument", {}))

    @cached_property
    def coordinates(self) -> dict[str, npt.NDArray[np.float64]]:
        """Measured values by axis ("T", "Z", "Y"), in seconds or micrometers from the first one; NaN without one.

        Only axes for which the file has them, and along which nothing is projected. The others are known by their step
        in `steps` alone.
        """
        axes = self.info["header"].get("coordinates", {})
        return {axis: self._measured(axis) for axis in axes if axis not in self.info.get("projection", {})}

    def _measured(self, axis: str) -> npt.NDArray[np.float64]:
        def part(start: int) -> npt.NDArray[np.float64]:
            query = f"coordinates?axis={axis}&as=raw&from={start}"
            return self._read(lambda transport, base: transport.array("GET", f"{base}/{query}"))

        return np.concatenate([part(start) for start in range(0, self.sizes[axis], ROWS)])

    def planes(self) -> pandas.DataFrame | dict[str, npt.NDArray[Any]]:
        """Returns what the file says of each plane: a row for each T, Z and C, with ``time``, ``exposure``, ``x``, …

        A pandas table where pandas is installed, else the columns by name. Times are in seconds from the first plane,
        positions in micrometers; a column that the file does not have is missing.
        """
        from ._table import read_planes

        return read_planes(self)

    def vendor_metadata(self) -> list[tuple[str, str]]:
        """Returns the settings that the recording software wrote, as (name, value) in the order of the file."""
        told = self._read(lambda transport, base: transport.json("GET", f"{base}/acquisition?metadata=true"))
        return [(entry["name"], entry["value"]) for entry in told["source"]["metadata"]["entries"]]

    def array(self) -> LazyArray:
        """Returns all planes as an array T, C, Z, Y, X in the type of the file. Reads nothing before it is indexed."""
        return LazyArray(self)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Reads everything: ``numpy.asarray(acquisition)`` is ``acquisition.array()[...]``."""
        return self.array().__array__(dtype, copy)

    def to_dask(self) -> dask.array.Array:
        """Returns a dask array T, C, Z, Y, X in the type of the file; needs dask."""
        from ._labeled import to_dask

        return to_dask(self)

    def to_xarray(self) -> xarray.DataArray:
        """Returns a DataArray with the dimensions T, C, Z, Y, X over a dask array; needs xarray and dask.

        C has the names of the channels as coordinates, with ``color``, ``excitation``, ``emission`` and ``fluorophore``
        beside them where the file states them. The others have their positions in seconds or micrometers, measured ones
        where the file has them, with the unit in ``attrs["units"]``.
        """
        from ._labeled import to_xarray

        return to_xarray(self)

    def to_datatree(self) -> xarray.DataTree:
        """Returns a DataTree with a node for each scene, whose ``image`` is that of `to_xarray`.

        Nothing is read before it is used. Needs xarray 2024.10 or newer, and dask. Scenes are open as long as their
        arrays are used.
        """
        from ._labeled import to_datatree

        return to_datatree(self)

    def save_imagej(self, path: str | os.PathLike[str]) -> None:
        """Saves all planes of the scene as a TIFF that ImageJ opens as a calibrated hyperstack; needs tifffile.

        With pixel size, section distance, frame interval or seconds per line, colors, ranges and, where times were
        measured, a label with its time for each plane.

        Raises:
            InvalidArgumentError: samples are whole numbers that no type of ImageJ has.
        """
        from ._imagej import save_imagej

        save_imagej(self, path)

    def zarr(self) -> zarr.Group:
        """Returns the scene as an OME-Zarr group; needs zarr 2 or 3.

        ``group["0"]`` is the array T, C, Z, Y, X; "1", "2", … are reduced by 2, 4, …. Unlike the plain address it
        raises when a chunk cannot be read; older versions of zarr would return zeros.
        """
        from ._zarr import open_group

        return open_group(self)

    def events(self) -> Iterator[Event]:
        """Yields what happens to the files, as long as the session lives; each loop has a connection of its own.

        The acquisition stays what it was opened as. `follow` opens it again.
        """
        from ._events import read_events

        transport, base = self._read(lambda transport, base: (transport, base))
        return read_events(transport, f"{base}/events")

    def follow(self) -> Iterator[Acquisition]:
        """Yields this acquisition, and then the file as it is whenever it has changed, until the server ends.

        Each is closed when the next one comes; this one stays open.
        """
        from ._events import follow

        return follow(self)

    def open_scenes(self) -> Iterator[Acquisition]:
        """Yields each scene of the file, opened with the same options. Each is closed when the next one comes."""
        for index in range(len(self.scenes)):
            with Acquisition(Session(self.server, with_scene(self._session.request, self.info, index))) as scene:
                yield scene

    def close(self) -> None:
        """Ends the session on the server. Later reads raise AcqError with the code "closed"."""
        self._session.close()

    def __enter__(self) -> Acquisition:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        sizes = ", ".join(f"{dim} {self.sizes[dim]}" for dim in self.units)
        return f"<Acquisition {self.name}: {sizes}; {self.dtype.name}; {', '.join(self.channels)}>"

    def show(self, *, height: int = 600, regions: Sequence[Mapping[str, Any]] = ()) -> Viewer:
        """Returns the viewer as a widget of a notebook, which Python reads and sets; needs anywidget.

        >>> w = a.show()
        >>> w.regions = [{"kind": "region", "points": [[0, 10], [500, 30]], "name": "vessel"}]
        >>> w.selection, w.contrast

        Args:
            height: of the cell, in pixels.
            regions: marks to begin with.

        The cell has a session of its own, and stays when this acquisition is closed.
        """
        from ._viewer import Viewer

        return Viewer(self, height, regions)

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return to_bundle(self, options)

    def _read(self, action: Callable[[Transport, str], T]) -> T:
        return self._session.read(action)

    def _channel(self, channel: str | int, channels: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        return find_channel(channel, self.name, self.info["channels"] if channels is None else channels)
