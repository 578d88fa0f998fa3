"""The table of docs/python.md beside bioio, nd2 and tiled: each cell runs, and what can be compared is equal."""

import datetime
import re
import tempfile
import warnings

import numpy as np
import pytest

import acquisition_store as acq
from conftest import EXAMPLE, REPOSITORY, SAMPLES, STACK

bioio = pytest.importorskip("bioio")
nd2 = pytest.importorskip("nd2")
pytest.importorskip("tiled")

PAGE = REPOSITORY / "docs" / "python.md"
ND2 = "nd2/Arcadia-Science+arcadia-microscopy-tools/example-multichannel.nd2"
SECTION = PAGE.read_text("utf-8").partition("## Come from bioio, nd2 or tiled")[2].partition("\n## ")[0]
ROWS = [[cell.strip() for cell in line.strip("| \n").split(" | ")] for line in SECTION.splitlines() if line.startswith("| ")]
HEAD, _, *TABLE = ROWS


def test_names_the_versions_that_run():
    from importlib.metadata import version

    for title, package in zip(HEAD[2:], ("bioio", "nd2", "tiled")):
        assert title == f"{package} {version(package).rpartition('.')[0]}"


@pytest.fixture(scope="module")
def client(server):
    """A tiled server in this process, with the planes of the CZI that bioio reads."""
    from tiled.catalog import in_memory
    from tiled.client import Context, from_context
    from tiled.server.app import build_app

    with tempfile.TemporaryDirectory() as folder:
        with Context.from_app(build_app(in_memory(writable_storage=folder))) as context:
            opened = from_context(context)
            data = bioio.BioImage(SAMPLES / STACK).data
            opened.write_array(data, key="scan", dims=["T", "C", "Z", "Y", "X"])
            yield opened


def run(cell, path, client=None):
    names = {"acq": acq, "BioImage": bioio.BioImage, "nd2": nd2, "client": client, "folder": EXAMPLE.parent, "path": path}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(cell.strip("`"), names)


def plain(value):
    """What two packages can agree about: numbers without the dimensions of size 1, names as text, times in UTC."""
    if isinstance(value, str) and re.fullmatch(r"\d+/\d+/\d{4} .*[AP]M", value):
        return datetime.datetime.strptime(re.sub(r"\s+", " ", value), "%m/%d/%Y %I:%M:%S %p")
    if isinstance(value, datetime.datetime):
        return value
    if isinstance(value, (float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [str(one) for one in value]
    return np.squeeze(np.asarray(value))


def is_same(ours, theirs):
    if isinstance(ours, datetime.datetime) and theirs.tzinfo is not None:
        return ours == theirs
    if isinstance(ours, datetime.datetime):
        # In another time zone, and without seconds.
        apart = ours.replace(tzinfo=None, second=0, microsecond=0) - theirs
        return abs(apart) <= datetime.timedelta(hours=14) and apart % datetime.timedelta(minutes=15) == datetime.timedelta()
    return np.array_equal(ours, theirs) if isinstance(ours, np.ndarray) else ours == pytest.approx(theirs)


COMPARED = {
    "all planes of a scene",
    "the same, lazily",
    "some rows of a plane",
    "xarray",
    "names of channels",
    "micrometers of a pixel",
    "recorded at",
}


@pytest.mark.parametrize("what, ours, in_bioio, in_nd2, in_tiled", TABLE, ids=[row[0] for row in TABLE])
def test_does_the_same(server, monkeypatch, client, what, ours, in_bioio, in_nd2, in_tiled):
    if not (SAMPLES / STACK).exists():
        pytest.skip("the sample files are missing")
    monkeypatch.setenv("ACQSTORE_URL", server.url)
    for cell, path in ((in_bioio, STACK), (in_nd2, ND2), (in_tiled, STACK)):
        if cell == "–":
            continue
        told, theirs = run(ours, SAMPLES / path), run(cell, SAMPLES / path, client)
        if what in COMPARED:
            assert is_same(plain(told), plain(theirs)), cell
        elif what == "order of the dimensions":
            assert told == "TCZYX" and theirs in (told, "CYX")
        elif what == "scenes":
            assert len(told) == len(theirs) == 1
        elif what == "time of each plane":
            times = [event["Time [s]"] for event in theirs]
            assert len(told) == 4 and len(times) == 1
        else:
            assert len(told) > 0 and list(theirs) == ["scan"]


def test_compares_a_row_of_each_kind():
    assert COMPARED < {row[0] for row in TABLE} and len(TABLE) == 11
