import numpy as np
import pytest

import acquisition_store as acq
from conftest import EXAMPLE


def test_describes_a_line_scan(example):
    assert example.dims == ("C", "Y", "X")
    assert example.sizes == {"C": 2, "Y": 4000, "X": 96}
    assert example.shape == (4000, 96)
    assert example.channels == ["Calcium", "Vessel"]
    assert example.steps["Y"] == 0.00117 and example.units == {"C": "Channels", "Y": "seconds", "X": "micrometer"}
    assert example.is_line_scan and example.dtype == np.uint16
    assert example.warnings == [] and example.reference is None and example.scenes == [example.name]
    assert example.path == str(EXAMPLE)


def test_shows_itself_in_a_notebook(example):
    assert repr(example) == "<Acquisition vessel-kymograph.ome.tif: C 2, Y 4000, X 96; uint16; Calcium, Vessel>"
    table = example._repr_html_()
    assert "<tr><th>Y</th><td>4,000</td><td>0.00117 seconds</td></tr>" in table
    assert "Calcium, Vessel" in table and "20260115 10:30:00" in table


def test_escapes_names_in_a_notebook(example):
    example.info["channels"][0]["name"] = "<script>"
    assert "<script>" not in example._repr_html_() and "&lt;script&gt;" in example._repr_html_()


def test_reads_vendor_metadata(stack):
    settings = stack.vendor_metadata()
    assert ("Experiment/Version", "1.1") in settings


def test_replaces_steps(server):
    calibration = {"Y": {"step": 0.5, "unit": "micrometer"}}
    with acq.open(EXAMPLE, server=server, calibration=calibration) as a:
        assert a.steps["Y"] == 0.5 and not a.is_line_scan


def test_opens_chosen_channels(server):
    with acq.open(EXAMPLE, server=server, channels=[1]) as a:
        assert a.channels == ["Vessel"] and a.array().shape == (1, 1, 1, 4000, 96)
        assert np.array_equal(a.array()[0, 0, 0], a.plane("Vessel"))


def test_reports_errors_with_a_code_and_a_hint(server, example):
    with pytest.raises(acq.AcqError) as caught:
        acq.open("/nowhere/scan.czi", server=server)
    assert caught.value.code == "path_not_found" and caught.value.status == 404
    assert "/nowhere/scan.czi" in caught.value.message and "own machine" in str(caught.value)
    with pytest.raises(acq.AcqError) as caught:
        acq.open(EXAMPLE, server=server, selection={"Q": 1})
    assert caught.value.code == "request_validation_failed" and caught.value.details
    with pytest.raises(KeyError, match="'Calcium', 'Vessel'") as missing:
        example.plane("GFP")
    assert isinstance(missing.value, acq.AcqError) and missing.value.code == "channel_not_found"


def test_refuses_to_read_after_close(server):
    with acq.open(EXAMPLE, server=server) as a:
        array = a.array()
    with pytest.raises(acq.AcqError, match="was closed"):
        a.plane()
    with pytest.raises(acq.AcqError, match="was closed"):
        array[0]
    a.close()


def test_opens_paths_of_this_program(server, monkeypatch):
    monkeypatch.chdir(EXAMPLE.parent)
    with acq.open(EXAMPLE.name, server=server) as a:
        assert a.path == str(EXAMPLE)


def test_opens_names_that_are_not_ascii(server, tmp_path):
    copy = tmp_path / "Gefäß 血管 #1 %.ome.tif"
    copy.write_bytes(EXAMPLE.read_bytes())
    with acq.open(copy, server=server) as a:
        assert a.name == copy.name and a.plane().shape == (4000, 96)
