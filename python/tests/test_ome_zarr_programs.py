"""The table of docs/export.md: programs that are not ours open the root of an export of one scene, and read the same."""

import functools
import http.server
import re
import shutil
import subprocess
import threading
import time
from importlib.metadata import version

import pytest

np = pytest.importorskip("numpy")
for module in ("bioio_ome_zarr", "napari_ome_zarr", "neuroglancer", "ngff_zarr", "ome_zarr", "ome_zarr_models", "tensorstore", "tifffile"):
    pytest.importorskip(module)

import neuroglancer
import ngff_zarr
import ome_zarr_models
import tensorstore
import tifffile
import xarray
import zarr
from bioio import BioImage
from napari_ome_zarr import napari_get_reader
from ome_zarr.io import parse_url
from ome_zarr.reader import Reader

from conftest import COMMAND, REPOSITORY

PAGE = (REPOSITORY / "docs" / "export.md").read_text("utf-8")
SECTION = PAGE.partition("## Open an OME-Zarr export in other programs")[2].partition("\n## ")[0]
ROWS = [[cell.strip() for cell in line.strip("| \n").split(" | ")] for line in SECTION.splitlines() if re.match(r"\| [a-z]", line)]
TABLE = {name: (cells[0], cells[1].strip("`")) for name, *cells in ROWS if re.fullmatch(r"[\d.]+", cells[0])}

# T, C, Z, Y, X: wide enough for a reduced level, and no step like another.
SAMPLES = np.arange(2 * 2 * 3 * 40 * 1100, dtype="u4").reshape(2, 2, 3, 40, 1100).astype("u2")
SCALE = [3, 1, 2, 0.5, 0.25]
STEPS = {"TimeIncrement": 3, "PhysicalSizeZ": 2, "PhysicalSizeY": 0.5, "PhysicalSizeX": 0.25}
VERSIONS = ("0.4", "0.5")
CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    print("NO NEUROGLANCER: install chromium")


@pytest.fixture(scope="module", params=[(v, packing) for v in VERSIONS for packing in ("stored", "gzip")], ids="-".join)
def export(request, tmp_path_factory):
    """The path of an export, and its version of OME-Zarr."""
    number, packing = request.param
    folder = tmp_path_factory.mktemp("export")
    source, out = folder / "stack.ome.tif", folder / "stack.ome.zarr"
    about = {"axes": "TCZYX", **STEPS, "Channel": {"Name": ["GFP", "mCherry"]}}
    tifffile.imwrite(source, SAMPLES, metadata=about, ome=True)
    options = ["--zarr", number, *(["--compress", "gzip"] if packing == "gzip" else [])]
    subprocess.run([*COMMAND, "export", str(source), "--to", "ome-zarr", "--out", str(out), *options], check=True)
    return str(out), number


def call(name, path):
    return eval(TABLE[name][1], {**globals(), "path": path})


def expect(samples, scale=None):
    assert samples.dtype == SAMPLES.dtype
    np.testing.assert_array_equal(np.asarray(samples), SAMPLES)
    if scale is not None:
        np.testing.assert_allclose(scale, SCALE)


def test_names_the_versions_that_run():
    for name, (number, _) in TABLE.items():
        assert (name, number) == (name, version(name))


def test_zarr(export):
    expect(call("zarr", export[0]))


def test_ome_zarr(export):
    node = call("ome-zarr", export[0])
    (first,) = node.metadata["coordinateTransformations"][0]
    expect(node.data[0].compute(), first["scale"])
    assert node.metadata["channel_names"] == ["GFP", "mCherry"]
    assert [level.shape[-2:] for level in node.data] == [(40, 1100), (20, 550)]


def test_bioio(export):
    image = call("bioio-ome-zarr", export[0])
    expect(image.get_image_data("TCZYX"), image.scale)
    assert image.channel_names == ["GFP", "mCherry"]
    assert len(image.scenes) == 1


def test_xarray(export):
    path, number = export
    if number == "0.4":
        with pytest.raises(KeyError, match="_ARRAY_DIMENSIONS"):
            call("xarray", path)
        return
    array = call("xarray", path)
    assert array.dims == ("t", "c", "z", "y", "x")
    expect(array.values)


def test_tensorstore(export):
    array = call("tensorstore", export[0])
    expect(array.read().result())
    assert array.domain.labels == (("t", "c", "z", "y", "x") if export[1] == "0.5" else ("",) * 5)


def test_napari_ome_zarr(export):
    ((levels, options, kind),) = call("napari-ome-zarr", export[0])
    assert kind == "image" and options["channel_axis"] == 1
    expect(levels[0].compute())
    assert options["scale"] == [3, 2, 0.5, 0.25]
    assert [name.partition(": ")[2] for name in options["name"]] == ["GFP", "mCherry"]


def test_ngff_zarr(export):
    image = call("ngff-zarr", export[0]).images[0]
    expect(image.data.compute(), [image.scale[axis] for axis in "tczyx"])
    assert image.axes_units["x"] == "micrometer" and image.axes_units["t"] == "second"


def test_ome_zarr_models(export):
    path, number = export
    model = call("ome-zarr-models", path)
    assert type(model).__name__ == "Image" and type(model).__module__.split(".")[1] == "v" + number.replace(".", "")


class WithOrigin(http.server.SimpleHTTPRequestHandler):
    """Sends files to pages of any site, and lists those that it sent."""

    def __init__(self, *args, sent, **options):
        self.sent = sent
        super().__init__(*args, **options)

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_request(self, code="-", size="-"):
        if code == 200:
            self.sent.add(self.path)

    def log_message(self, *args):
        pass


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_neuroglancer(export, tmp_path):
    path, number = export
    sent = set()
    handler = functools.partial(WithOrigin, directory=path, sent=sent)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        neuroglancer.set_server_bind_address("127.0.0.1")
        viewer = neuroglancer.Viewer()
        source = TABLE["neuroglancer"][1].replace("ADDRESS", f"http://127.0.0.1:{served.server_port}/")
        with viewer.txn() as state:
            state.layers["image"] = neuroglancer.ImageLayer(source=source)
        flags = ["--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        page = subprocess.Popen(
            [CHROMIUM, *flags, f"--user-data-dir={tmp_path}", viewer.get_viewer_url()], stderr=subprocess.DEVNULL
        )
        try:
            chunks = "/0/c/" if number == "0.5" else "/0/"
            until, state = time.monotonic() + 120, {}
            while time.monotonic() < until:
                state = viewer.state.to_json()
                has_chunk = any(key.startswith(chunks) and key[-1].isdigit() for key in list(sent))
                if has_chunk and "dimensions" in state and "localDimensions" in state["layers"][0]:
                    break
                time.sleep(0.2)
        finally:
            page.terminate()
            page.wait()
            served.shutdown()
    assert {name: (float(f"{step:g}"), unit) for name, (step, unit) in state["dimensions"].items()} == {
        **{"t": (3, "s"), "z": (2e-6, "m")},
        **{"y": (5e-7, "m"), "x": (2.5e-7, "m")},
    }
    # It shows the first three of them, in this order, unless the address says otherwise.
    assert list(state["dimensions"]) == ["t", "z", "y", "x"] and "displayDimensions" not in state
    assert list(state["layers"][0]["localDimensions"]) == ["c'"]
    assert has_chunk
