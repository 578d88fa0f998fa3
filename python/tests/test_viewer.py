"""The viewer as a widget, without a browser: what it takes, what it says, what it stores."""

import base64
import struct

import numpy as np
import pytest

import acquisition_store as acq
from acquisition_store._server import ask_proof

anywidget = pytest.importorskip("anywidget")


def heard(viewer, content):
    """Returns what the widget sends when its cell sends `content`."""
    sent = []
    viewer.send = sent.append
    viewer._handle_custom_msg(content, [])
    return sent


def test_marks_are_checked_and_become_numbers(example):
    viewer = example.show(regions=[{"kind": "point", "points": np.array([[1, 2]]), "T": np.int64(0)}])
    assert viewer.regions == [{"kind": "point", "points": [[1.0, 2.0]], "T": 0}]
    for wrong in (
        [{"kind": "star", "points": [[0, 0]]}],
        [{"kind": "region", "points": [[0, 0, 0]]}],
        [{"kind": "region", "points": "x"}],
        [{"kind": "region", "points": []}],
        [{"kind": "region", "points": [[0, 0]], "T": "first"}],
        [{"kind": "region", "points": [[0, 0]], "T": 1.5}],
        [{"kind": "region", "points": [[float("nan"), 0]]}],
        ["region"],
        [{"kind": "point", "points": [[0, 0]]}] * 257,
    ):
        with pytest.raises(acq.InvalidArgumentError):
            viewer.regions = wrong
    assert len(viewer.regions) == 1


def test_places_count_from_the_end_when_negative(stack):
    viewer = stack.show()
    assert viewer.selection["T"] == 0
    viewer.selection = {"T": -1, "Z": np.int64(2)}
    assert viewer.selection == {"T": 2, "Z": 2}
    for wrong in ({"C": 1}, {"T": "first"}, {"T": True}):
        with pytest.raises(acq.InvalidArgumentError):
            viewer.selection = wrong


def test_contrast_is_of_channels_that_there_are(example):
    viewer = example.show()
    viewer.contrast = {"Calcium": {"max": 500}}
    for wrong in ({"GFP": {"max": 500}}, {"Calcium": 500}):
        with pytest.raises(acq.InvalidArgumentError):
            viewer.contrast = wrong


def test_the_cell_learns_the_address_and_a_session_of_its_own(example):
    viewer = example.show()
    example.close()
    [told] = heard(viewer, {"kind": "where", "id": "7"})
    assert told["id"] == "7"
    assert told["url"] == viewer._server.url and str(told["port"]) in told["url"]
    assert told["session"] != example.info["sessionId"]
    # With a challenge, whose proof tells this server from another one at its port.
    assert len(told["challenge"]) == 64 and told["proof"] == ask_proof(told["url"], told["challenge"]) != ""
    assert heard(viewer, {"kind": "other"}) == []
    # Nothing of it is stored with the notebook.
    assert told["session"] not in str(viewer.get_state())
    viewer.close()


def test_the_cell_learns_why_there_is_nothing_to_show(example):
    viewer = example.show()
    viewer._request = {**viewer._request, "path": "/gone.ome.tif"}
    [told] = heard(viewer, {"kind": "where", "id": "8"})
    assert "path_not_found" in told["error"]


def test_the_picture_has_time_to_the_right_and_both_colors(example):
    data, _ = example.show()._repr_mimebundle_()
    png = base64.b64decode(data["image/png"])
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", png[16:24]) == (480, 96)
    assert "application/vnd.jupyter.widget-view+json" in data


def test_a_terminal_shows_no_viewer(example):
    data, _ = example._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html"}
