"""The reader for napari: channels as layers with scale, units, color and window; see napari.yaml."""

from __future__ import annotations

import os
from typing import Any, Callable, Sequence, Union

import numpy as np

from ._acquisition import Acquisition, open
from ._errors import AcqError
from ._labeled import to_dask
from ._reference import Reference

Layer = tuple[Any, dict[str, Any], str]
Paths = Union[str, Sequence[str]]

COLORS = ("green", "magenta", "cyan", "yellow", "red", "blue")
PERCENTILES = (0.1, 99.9)
GAP = 0.1
"""Space between the acquisition and its reference image, in widths of the acquisition."""
_AXES = ("t", "z", "y", "x")
_UNITS = {"seconds": "second", "micrometer": "micrometer"}


def get_reader(path: Paths) -> Callable[[Paths], list[Layer]] | None:
    """Returns the reader of a file or folder; None for what the server does not open."""
    if not isinstance(path, str):
        return None
    try:
        with open(path):
            return read
    except AcqError as error:
        # Other plug-ins may know the format. Anything else is for the user to see.
        return None if error.code == "unsupported_format" else read


def read(path: Paths) -> list[Layer]:
    """Returns the layers of every scene of a file. Planes are read when napari shows them."""
    told = path if isinstance(path, str) else path[0]
    first = open(told)
    count = len(first.scenes)
    if count == 1:
        return scene_layers(first, "")
    first.close()
    layers = []
    for scene, name in enumerate(first.scenes):
        # Many positions at one place: only the first is visible.
        for data, options, kind in scene_layers(open(told, scene=scene), f"{name} "):
            layers.append((data, {**options, "visible": options.get("visible", True) and scene == 0}, kind))
    return layers


def scene_layers(acquisition: Acquisition, prefix: str) -> list[Layer]:
    """Returns a layer (t, z, y, x) for each channel, then those of the reference image."""
    array = to_dask(acquisition)
    scale, units = _scale(acquisition)
    layers: list[Layer] = []
    for at, channel in enumerate(acquisition.info["channels"]):
        options = {
            "name": f"{prefix}{channel['name']}",
            "colormap": _colormap(channel.get("color"), at, len(acquisition.channels)),
            "contrast_limits": _window(acquisition, at),
            "blending": "additive" if at else "translucent_no_depth",
            "scale": scale,
            "units": units,
            "axis_labels": _AXES,
            "metadata": _metadata(acquisition),
        }
        layers.append((array[:, at], options, "image"))
    if acquisition.reference is not None:
        layers.extend(_reference_layers(acquisition, acquisition.reference, prefix))
    return layers


def _scale(acquisition: Acquisition) -> tuple[list[float], list[str]]:
    """Returns step and unit of t, z, y and x; y of a line scan is in seconds."""
    scale = [acquisition.steps.get(dim, 1.0) for dim in "TZYX"]
    return scale, [_UNITS.get(acquisition.units.get(dim, ""), "pixel") for dim in "TZYX"]


def _window(acquisition: Acquisition, at: int) -> tuple[float, float]:
    channel = acquisition.info["channels"][at]
    told = channel.get("window")
    if told is not None:
        return told["start"], told["end"]
    # As the viewer of the server: most samples of one plane, without its outliers.
    percentiles = acquisition.statistics(channel["index"], percentiles=PERCENTILES)["percentiles"]
    low, high = (entry["value"] for entry in percentiles)
    if low is None:
        return 0.0, 1.0
    return (low, high) if high > low else (low, low + 1)


def _colormap(color: str | None, at: int, count: int) -> Any:
    if color is not None:
        rgb = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        return {"colors": np.array([[0, 0, 0, 1], [*rgb, 1]]), "name": color}
    return "gray" if count == 1 else COLORS[at % len(COLORS)]


def _metadata(acquisition: Acquisition) -> dict[str, Any]:
    """Returns what the layer keeps of the file, and the acquisition itself, which must live as long as the layer."""
    return {
        "acquisition": acquisition,
        "path": acquisition.path,
        "steps": acquisition.steps,
        "units": acquisition.units,
        "warnings": acquisition.warnings,
        "coordinates": acquisition.coordinates,
        "instrument": acquisition.instrument,
    }


def _reference_layers(acquisition: Acquisition, reference: Reference, prefix: str) -> list[Layer]:
    """Returns the reference image, to the right of the acquisition, and the scanned path on it."""
    scale = [reference.steps["Y"], reference.steps["X"]]
    place = {
        "scale": scale,
        "units": [_UNITS.get(reference.units[dim], "pixel") for dim in "YX"],
        "axis_labels": _AXES[2:],
        "translate": [0.0, acquisition.shape[1] * acquisition.steps["X"] * (1 + GAP)],
        "metadata": _metadata(acquisition),
    }
    layers: list[Layer] = []
    for at, channel in enumerate(reference.info["channels"]):
        plane = reference.plane(channel["index"])
        window = channel.get("window")
        finite = plane[np.isfinite(plane)]
        low, high = (window["start"], window["end"]) if window else np.percentile(finite, PERCENTILES)
        options = {
            **place,
            "name": f"{prefix}reference {channel['name']}",
            "colormap": _colormap(channel.get("color"), at, len(reference.channels)),
            "contrast_limits": (float(low), float(max(high, low + 1))),
            "blending": "additive" if at else "translucent_no_depth",
        }
        layers.append((plane, options, "image"))
    if reference.path is not None:
        options = {
            **place,
            "name": f"{prefix}scanned path",
            "shape_type": "path",
            "edge_color": "yellow",
            "edge_width": max(1.0, reference.shape[1] / 200),
            "face_color": "transparent",
        }
        layers.append(([reference.path], options, "shapes"))
    return layers
