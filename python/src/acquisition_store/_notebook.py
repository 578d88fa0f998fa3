"""How an acquisition looks in a notebook."""

from __future__ import annotations

import html
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

from ._errors import AcqError

if TYPE_CHECKING:
    from ._acquisition import Acquisition


def to_bundle(acquisition: Acquisition, options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns what a notebook shows of an acquisition: the viewer where anywidget is installed, and a table."""
    data: dict[str, Any] = {"text/plain": repr(acquisition), "text/html": to_html(acquisition)}
    if not _has_widgets():
        return data, {}
    try:
        viewer, metadata = acquisition.show()._repr_mimebundle_(**options)
    except AcqError:
        # What is known of it is shown all the same.
        return data, {}
    return {**viewer, **data}, metadata


def _has_widgets() -> bool:
    """True in a notebook with anywidget: a terminal would open a viewer that nobody sees."""
    shell = sys.modules.get("IPython")
    kernel = getattr(shell.get_ipython(), "kernel", None) if shell else None
    inside = kernel is not None or "marimo" in sys.modules
    return inside and importlib.util.find_spec("anywidget") is not None


def to_html(acquisition: Acquisition) -> str:
    """Returns a table of dimensions, the channels and the warnings."""
    header = acquisition.info["header"]
    rows = "".join(
        f"<tr><th>{dim}</th><td>{size:,}</td><td>{_step(acquisition, dim)}</td></tr>"
        for dim, size in acquisition.sizes.items()
        if dim in acquisition.units
    )
    facts = {
        "Channels": ", ".join(acquisition.channels),
        "Type": acquisition.dtype.name,
        "Recorded": f"{header['date']} {header['time']}".strip(),
        "Size": header["fileSize"],
    }
    listed = "".join(
        f"<tr><th>{name}</th><td colspan=2>{_text(told)}</td></tr>" for name, told in facts.items() if told
    )
    warnings = "".join(f"<p>⚠ {_text(warning)}</p>" for warning in acquisition.warnings)
    head = "<tr><th></th><th>size</th><th>step</th></tr>"
    return f"<div><b>{_text(acquisition.name)}</b><table>{head}{rows}{listed}</table>{warnings}</div>"


def _step(acquisition: Acquisition, dim: str) -> str:
    unit = acquisition.units[dim]
    return f"{acquisition.steps[dim]:.6g} {_text(unit)}" if unit in ("seconds", "micrometer") else ""


def _text(value: object) -> str:
    return html.escape(str(value))
