"""Calibrated hyperstacks for ImageJ, written by tifffile."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np
import numpy.typing as npt

from ._errors import InvalidArgumentError

if TYPE_CHECKING:
    from ._acquisition import Acquisition

_TYPES = ("uint8", "uint16", "float32")
"""Types that tifffile writes for ImageJ. Others are saved as float32."""


def save_imagej(acquisition: Acquisition, path: str | os.PathLike[str]) -> None:
    import tifffile

    lazy = acquisition.array()
    times, channels, sections, rows, columns = lazy.shape
    dtype = lazy.dtype if lazy.dtype.name in _TYPES else np.dtype("float32")

    def planes() -> Iterator[npt.NDArray[Any]]:
        for t in range(times):
            for z in range(sections):
                for channel in range(channels):
                    yield _exact(lazy[t, channel, z], dtype)

    steps = acquisition.steps
    tifffile.imwrite(
        path,
        planes(),
        shape=(times, sections, channels, rows, columns),
        dtype=dtype,
        imagej=True,
        resolution=(1 / steps["X"], 1 / steps["Y"]),
        metadata=_description(acquisition, sections),
    )


def _exact(plane: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if plane.dtype == dtype:
        return plane
    stored = plane.astype(dtype)
    if plane.dtype.kind in "iu" and not _is_same(stored.astype(np.float64), plane):
        raise InvalidArgumentError(
            f"ImageJ has no type for {plane.dtype.name}: some samples are not a 32-bit float. "
            "Save them with numpy.save, or as zarr."
        )
    return stored


def _is_same(floats: npt.NDArray[np.float64], integers: npt.NDArray[Any]) -> bool:
    # As integers: as floats, 2**53 + 1 is equal to 2**53. What float32 rounds up to 2**64 is no integer of 64 bits.
    limits = np.iinfo(integers.dtype)
    fits = np.min(floats) >= float(limits.min) and np.max(floats) < float(limits.max) + 1
    return bool(fits) and np.array_equal(floats.astype(integers.dtype), integers)


def _description(acquisition: Acquisition, sections: int) -> dict[str, Any]:
    steps, units = acquisition.steps, acquisition.units
    told: dict[str, Any] = {"axes": "TZCYX", "mode": "composite"}
    if units["X"] == "micrometer":
        told["unit"] = "micron"
    if units["Y"] == "seconds":
        told["yunit"] = "sec"
    if units.get("Z") == "micrometer":
        told["spacing"] = steps["Z"]
    if units.get("T") == "seconds":
        told.update(finterval=steps["T"], tunit="sec")
    windows = [channel.get("window") for channel in acquisition.info["channels"]]
    if all(windows):
        told["Ranges"] = [value for window in windows for value in (window["start"], window["end"])]
    colors = [channel.get("color") for channel in acquisition.info["channels"]]
    if any(colors):
        told["LUTs"] = [_lut(color or "#FFFFFF") for color in colors]
    labels = _labels(acquisition, sections)
    if labels:
        told["Labels"] = labels
    return told


def _lut(color: str) -> npt.NDArray[np.uint8]:
    """Returns a table [3, 256] from black to a color."""
    ramp = np.arange(256) / 255
    return np.array([np.rint(ramp * int(color[i : i + 2], 16)) for i in (1, 3, 5)], np.uint8)


MAX_LABELS = 100_000


def _labels(acquisition: Acquisition, sections: int) -> list[str]:
    """Returns a label with the channel and the time for each plane, where times were measured."""
    times = acquisition.coordinates.get("T")
    if times is None or len(times) * sections * len(acquisition.channels) > MAX_LABELS:
        return []
    names = acquisition.channels
    return [f"{name} {at:g} s" for at in times for _ in range(sections) for name in names]
