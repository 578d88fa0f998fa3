"""The viewer of the server in a cell of a notebook; needs anywidget."""

from __future__ import annotations

import base64
import pathlib
import secrets
from typing import TYPE_CHECKING, Any, Mapping, Sequence
from urllib.parse import urlsplit

import anywidget
import traitlets

from ._arguments import from_end, to_index, to_mapping, to_numbers
from ._errors import AcqError, InvalidArgumentError
from ._picture import draw_png
from ._server import ask_proof
from ._session import Session

if TYPE_CHECKING:
    from ._acquisition import Acquisition

KINDS = ("line", "polyline", "freeline", "region", "ellipse", "polygon", "freehand", "point")
MAX_REGIONS = 256
"""Marks that the viewer has at most."""


class Viewer(anywidget.AnyWidget):
    """The viewer, as a widget. Made by `Acquisition.show`.

    Attributes:
        selection: index by dimension of what is on screen: {"S": 0, "T": 5, "Z": 2}, without those that the file lacks.
        contrast: display by name of the channel: {"GFP": {"min": 0.0, "max": 900.0, "visible": True, ...}}; its index,
            as text, where two channels have one name. What is left out when it is set stays as it is.
        regions: marks, each {"kind": "region", "points": [[row, column], ...]} with "id", and perhaps "name",
            "comment", "width", and "T", "Z" and "C". A region from (r0, c0) to (r1, c1) is ``plane[r0:r1, c0:c1]``.
        height: of the cell, in pixels.

    They change with what is done in the viewer, after it has loaded, and `observe` tells of it. Setting one changes the
    viewer; what it cannot show, such as a time point that there is not, comes back as it is on screen.
    """

    _esm = pathlib.Path(__file__).with_name("viewer.js")

    selection = traitlets.Dict().tag(sync=True)
    contrast = traitlets.Dict().tag(sync=True)
    regions: traitlets.List[dict[str, Any]] = traitlets.List().tag(sync=True)
    height = traitlets.Int(600).tag(sync=True)
    _picture = traitlets.Unicode("").tag(sync=True)
    _name = traitlets.Unicode("").tag(sync=True)

    def __init__(self, acquisition: Acquisition, height: int, regions: Sequence[Mapping[str, Any]]) -> None:
        self._server = acquisition.server
        self._info = acquisition.info
        self._request = acquisition._session.request
        # Of its own, because the cell lives longer than a `with` block; opened when the cell is shown.
        self._session: Session | None = None
        self._png = _draw(acquisition)
        url = f"data:image/png;base64,{base64.b64encode(self._png).decode()}" if self._png else ""
        selection = dict(acquisition.info.get("selection") or {})
        super().__init__(
            selection=selection, height=height, regions=list(regions), _picture=url, _name=acquisition.name
        )
        self.on_msg(self._answer)

    def close(self) -> None:
        """Removes the viewer from the notebook."""
        if self._session is not None:
            self._session.close()
        super().close()

    @traitlets.validate("selection")
    def _check_selection(self, proposal: Mapping[str, Any]) -> dict[str, Any]:
        told = to_mapping(proposal["value"], "selection")
        sizes = self._info["header"]["sizes"]
        unknown = [dim for dim in told if dim not in ("S", "T", "Z")]
        if unknown:
            raise InvalidArgumentError(f"selection has {unknown[0]!r}; expected S, T or Z")
        return {dim: from_end(index, sizes.get(dim, 1), dim) for dim, index in told.items()}

    @traitlets.validate("contrast")
    def _check_contrast(self, proposal: Mapping[str, Any]) -> dict[str, Any]:
        told = to_mapping(proposal["value"], "contrast")
        known = [channel["name"] for channel in self._info["channels"]]
        for name, display in told.items():
            if name not in known and not name.isdigit():
                raise InvalidArgumentError(f"contrast has {name!r}; the channels are {', '.join(map(repr, known))}")
            to_mapping(display, f"the contrast of {name}")
        return told

    @traitlets.validate("regions")
    def _check_regions(self, proposal: Mapping[str, Any]) -> list[dict[str, Any]]:
        if len(proposal["value"]) > MAX_REGIONS:
            count = len(proposal["value"])
            raise InvalidArgumentError(f"there are {count} regions; the viewer has at most {MAX_REGIONS}")
        return [_region(region) for region in proposal["value"]]

    def _answer(self, _: object, content: Any, __: object) -> None:
        """Tells the cell where the page is. In a message, because traits are stored with the notebook."""
        if content.get("kind") == "where":
            self.send({"id": content.get("id"), **self._where()})

    def _where(self) -> dict[str, Any]:
        try:
            self._session = self._session or Session(self._server, self._request)
            # A session that has ended is opened again.
            transport, info = self._session.read(lambda transport, base: (transport, transport.json("GET", base)))
        except AcqError as error:
            return {"error": str(error)}
        # What tells the server from another one at its port, where the browser is on another computer.
        challenge = secrets.token_hex(32)
        return {
            "challenge": challenge,
            "proof": ask_proof(transport.url, challenge) if self._server.is_local else "",
            "url": transport.url,
            # What a proxy of Jupyter forwards to.
            "port": urlsplit(transport.url).port if self._server.is_local else None,
            "token": transport.token or "",
            "session": info["sessionId"],
            "calibration": self._request.get("calibration"),
        }

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        # For what reads the notebook without running it.
        pictures = {"image/png": base64.b64encode(self._png).decode()} if self._png else {}
        return {**data, **pictures}, metadata


def _draw(acquisition: Acquisition) -> bytes:
    """Returns the picture; nothing where the planes cannot be read, which the viewer says."""
    try:
        return draw_png(acquisition)
    except AcqError:
        return b""


def _region(told: object) -> dict[str, Any]:
    """Returns a mark in the form that the viewer takes."""
    region = to_mapping(told, "a region")
    kind, points = region.get("kind"), region.get("points")
    if kind not in KINDS:
        raise InvalidArgumentError(f"a region has the kind {kind!r}; expected one of {', '.join(KINDS)}")
    try:
        region["points"] = [to_numbers((row, column), "a point") for row, column in points]  # type: ignore[union-attr]
        region.update({name: to_index(region[name], name) for name in ("T", "Z", "C", "width") if name in region})
    except (TypeError, ValueError):
        expected = "points as [[row, column], ...], and whole numbers for the rest"
        message = f"a region is {region!r}; expected {expected}"
        raise InvalidArgumentError(message) from None
    if not region["points"]:
        raise InvalidArgumentError("a region has no points")
    return region
