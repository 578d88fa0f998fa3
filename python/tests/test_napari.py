"""The reader in napari itself: its model without a window, and one window."""

import os
import subprocess

import numpy as np
import pytest

from conftest import COMMAND, EXAMPLE, SAMPLES, STACK

pytest.importorskip("napari")
from napari.components import ViewerModel  # noqa: E402
from npe2 import PluginManager  # noqa: E402

import acquisition_store._server as servers  # noqa: E402

PLUGIN = "acquisition-store"
LINE_SCAN = (
    "bruker/swharden+ROI-Analysis-Pipeline/LineScan-06092017-1414-623/"
    "LineScan-06092017-1414-623_Cycle00001_Ch1_000001.ome.tif"
)
SCENES = "czi/sebi06+czitools/WellD6-7_S2.czi"


def sample(path):
    if not (SAMPLES / path).exists():
        pytest.skip("the sample files are missing")
    return str(SAMPLES / path)


@pytest.fixture(autouse=True)
def own_server(server, monkeypatch):
    PluginManager.instance().discover()
    monkeypatch.setattr(servers, "_default", server)


@pytest.fixture
def viewer():
    return ViewerModel()


def test_opens_a_stack(viewer, stack):
    green, blue = viewer.open(sample(STACK), plugin=PLUGIN)
    whole = np.asarray(stack.array())
    assert [layer.name for layer in viewer.layers] == ["LED555", "LED470"]
    assert green.data.shape == (3, 5, 170, 240) and green.data.dtype == np.uint16
    assert np.allclose(green.scale, [stack.steps[dim] for dim in "TZYX"])
    assert [str(unit) for unit in green.units] == ["second", "micrometer", "micrometer", "micrometer"]
    assert list(green.axis_labels) == ["t", "z", "y", "x"]
    assert np.array_equal(np.asarray(blue.data), whole[:, 1])
    for layer, channel in zip((green, blue), stack.info["channels"]):
        told = channel.get("color")
        if told:
            assert np.allclose(layer.colormap.colors[-1][:3] * 255, [int(told[i : i + 2], 16) for i in (1, 3, 5)])
        if "window" in channel:
            assert layer.contrast_limits == [channel["window"]["start"], channel["window"]["end"]]
    assert blue.blending == "additive" and green.metadata["path"] == stack.path
    viewer.dims.set_current_step(0, 2)
    viewer.dims.set_current_step(1, 3)
    assert np.array_equal(np.asarray(blue._data_view), whole[2, 1, 3])


def test_opens_a_line_scan(viewer):
    calcium, vessel = viewer.open(str(EXAMPLE), plugin=PLUGIN)
    assert np.allclose(calcium.scale[2:], [0.00117, 0.284])
    assert [str(unit) for unit in calcium.units[2:]] == ["second", "micrometer"]
    low, high = calcium.contrast_limits
    plane = np.asarray(calcium.data)[0, 0]
    assert [low, high] == np.percentile(plane, [0.1, 99.9]).tolist()
    assert calcium.colormap.name != vessel.colormap.name


def test_shows_the_reference_and_the_scanned_path(viewer):
    viewer.open(sample(LINE_SCAN), plugin=PLUGIN)
    names = [layer.name for layer in viewer.layers]
    assert names == ["Ch1", "Ch2", "reference Ch1", "reference Ch2", "scanned path"]
    scan, image, path = viewer.layers["Ch1"], viewer.layers["reference Ch1"], viewer.layers["scanned path"]
    assert image.data.shape == (256, 256) and np.allclose(image.scale, 0.294117647)
    assert [str(unit) for unit in image.units] == ["micrometer"] * 2
    assert path.shape_type == ["path"] and np.allclose(path.data[0][:, -2:], [[138, 38], [138, 168]])
    assert np.allclose(path.translate, image.translate) and np.allclose(path.scale, image.scale)
    # Beside the scan, not below it.
    assert image.translate[-1] > scan.extent.world[1][-1]


def test_opens_every_scene(viewer):
    viewer.open(sample(SCENES), plugin=PLUGIN)
    visible = [layer.visible for layer in viewer.layers]
    assert len(visible) > 1 and visible[0] and not visible[-1]
    assert len({layer.name for layer in viewer.layers}) == len(visible)


def test_leaves_other_files_to_other_readers(tmp_path):
    from acquisition_store._napari import get_reader

    text = tmp_path / "notes.tif"
    text.write_text("no image")
    assert get_reader(str(text)) is None
    assert get_reader([str(EXAMPLE), str(EXAMPLE)]) is None
    assert get_reader(str(EXAMPLE)) is not None


def test_the_manifest_has_the_extensions_of_the_server():
    (reader,) = PluginManager.instance().get_manifest(PLUGIN).contributions.readers
    listed = subprocess.run([*COMMAND, "formats"], capture_output=True, text=True, check=True).stdout
    known = {word for line in listed.splitlines()[1:] for word in line.split() if word.startswith(".")}
    patterns = {pattern.removeprefix("*") for pattern in reader.filename_patterns}
    assert patterns <= known and {".oir", ".czi", ".nd2", ".lif", ".tif"} <= patterns


@pytest.mark.skipif("DISPLAY" not in os.environ, reason="there is no display")
def test_shows_a_window(tmp_path):
    import napari

    viewer = napari.Viewer(show=True)
    try:
        viewer.window.resize(1200, 800)
        viewer.open(sample(LINE_SCAN), plugin=PLUGIN)
        viewer.reset_view()
        picture = os.environ.get("ACQSTORE_SCREENSHOT", str(tmp_path / "napari.png"))
        pixels = viewer.screenshot(picture, canvas_only=False, flash=False)
        canvas = viewer.screenshot(canvas_only=True, flash=False)
        assert pixels.shape[2] == 4 and os.path.getsize(picture) > 10_000
        # The image and the yellow path are on the canvas.
        assert len(np.unique(canvas[..., :3].reshape(-1, 3), axis=0)) > 100
        red, green, blue = (canvas[..., i].astype(int) for i in range(3))
        assert ((red > 200) & (green > 200) & (blue < 60)).sum() > 50
    finally:
        viewer.close()
