"""How fast a large plane arrives, beside curl. The ratio is printed, not asserted: machines are busy."""

import json
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

import acquisition_store as acq
from conftest import COMMAND

ROWS, COLUMNS = 200_000, 512


def best(action, times=5):
    took = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        took.append(time.perf_counter() - start)
    return min(took)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is missing")
def test_reads_a_plane_of_410_mb_as_fast_as_curl(tmp_path):
    path = write_zarr(tmp_path / "scan.ome.zarr")
    with acq.Server(command=COMMAND) as own, acq.open(path, server=own) as a:
        expected = sample_rows(np.arange(ROWS))
        assert np.array_equal(a.plane(), expected.astype(np.float32))
        address = f"{own.url}/api/v2/sessions/{a.info['sessionId']}/channels/0/data"
        curl = best(lambda: subprocess.run(["curl", "-s", "-o", "/dev/null", address], check=True))
        ours = best(a.plane)
        lazy = a.array()
        native = best(lambda: lazy[...])
        assert np.array_equal(lazy[0, 0, 0, 1000:190_000:1000, 7], expected[1000:190_000:1000, 7])
    print(
        f"\nPython {sys.version.split()[0]}, numpy {np.__version__}: 410 MB as float32 in {ours * 1e3:.0f} ms, "
        f"curl {curl * 1e3:.0f} ms, ratio {ours / curl:.2f}; 205 MB of the file's type in {native * 1e3:.0f} ms"
    )


def sample_rows(rows):
    return ((rows[:, None] * 7 + np.arange(COLUMNS)) % 4093).astype("<u2")


def write_zarr(path):
    """Writes the scan as OME-Zarr 0.5 with nothing but numpy."""
    group, array = path, path / "0"
    array.mkdir(parents=True)
    axes = [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    scale = [{"type": "scale", "scale": [1, 1]}]
    image = {"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": scale}]}
    about = {"ome": {"version": "0.5", "multiscales": [image]}}
    (group / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group", "attributes": about}))
    rows = 20_000
    described = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [ROWS, COLUMNS],
        "data_type": "uint16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [rows, COLUMNS]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {},
    }
    (array / "zarr.json").write_text(json.dumps(described))
    for chunk in range(ROWS // rows):
        target = array / "c" / str(chunk)
        target.mkdir(parents=True)
        (target / "0").write_bytes(sample_rows(np.arange(chunk * rows, (chunk + 1) * rows)).tobytes())
    return path
