import struct

import numpy as np
import pytest

import acquisition_store as acq
from conftest import EXAMPLE


def test_describes_a_line_scan(example):
    assert example.dims == example.array().dims == ("T", "C", "Z", "Y", "X")
    assert list(example.sizes.items()) == [("T", 1), ("C", 2), ("Z", 1), ("Y", 4000), ("X", 96)]
    assert example.shape == (4000, 96)
    assert example.channels == ["Calcium", "Vessel"]
    assert example.steps["Y"] == 0.00117 and example.units == {"C": "Channels", "Y": "seconds", "X": "micrometer"}
    assert example.is_line_scan and example.dtype == np.uint16
    assert example.warnings == [] and example.reference is None and example.scenes == [example.name]
    assert example.path == str(EXAMPLE)


def table_of(acquisition):
    return acquisition._repr_mimebundle_()[0]["text/html"]


def test_shows_itself_in_a_notebook(example):
    assert repr(example) == "<Acquisition vessel-kymograph.ome.tif: C 2, Y 4000, X 96; uint16; Calcium, Vessel>"
    table = table_of(example)
    assert "<tr><th>Y</th><td>4,000</td><td>0.00117 seconds</td></tr>" in table
    assert "Calcium, Vessel" in table and "20260115 10:30:00" in table


def test_escapes_names_in_a_notebook(example):
    example.info["channels"][0]["name"] = "<script>"
    assert "<script>" not in table_of(example) and "&lt;script&gt;" in table_of(example)


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


def write_stack(path, xml, count, first=0):
    """Writes pages of 2 x 2 samples, each with its number from `first`; the first has the text of `xml`."""
    text = xml.encode() + b"\0"
    blocks, at = [struct.pack("<2sHI", b"II", 42, 8)], 8
    for page in range(count):
        tags = [(256, 3, 1, 2), (257, 3, 1, 2), (258, 3, 1, 16), (259, 3, 1, 1), (262, 3, 1, 1)]
        length = 2 + 12 * (len(tags) + 3 + (page == 0)) + 4
        if page == 0:
            tags.append((270, 2, len(text), at + length + 8))
        tags += [(273, 4, 1, at + length), (278, 3, 1, 2), (279, 4, 1, 8)]
        body = struct.pack("<4H", *[first + page] * 4) + (text if page == 0 else b"")
        body += b"\0" * (len(body) % 2)
        at += length + len(body)
        entries = b"".join(struct.pack("<HHII", *tag) for tag in tags)
        blocks += [struct.pack("<H", len(tags)), entries, struct.pack("<I", at if page + 1 < count else 0), body]
    path.write_bytes(b"".join(blocks))
    return path


OME = (
    '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ID="Pixels:0" '
    'Type="uint16" SizeX="2" SizeY="2" SizeC="1" SizeZ="1" SizeT="3" DimensionOrder="XYZCT" TimeIncrement="1" '
    'TimeIncrementUnit="s"><Channel ID="Channel:0:0" SamplesPerPixel="1"/><TiffData/>'
    '<Plane TheC="0" TheZ="0" TheT="0" DeltaT="0"/><Plane TheC="0" TheZ="0" TheT="1" DeltaT="1"/>'
    '<Plane TheC="0" TheZ="0" TheT="2" DeltaT="9"/></Pixels></Image></OME>'
)


def test_reads_measured_times(server, tmp_path):
    with acq.open(write_stack(tmp_path / "uneven.ome.tif", OME, 3), server=server) as a:
        assert list(a.coordinates) == ["T"] and a.coordinates["T"].tolist() == [0, 1, 9]
        assert a.steps["T"] == 4.5 and any("TimeIncrement" in warning for warning in a.warnings)
        table = a.planes()
        assert list(table["T"]) == [0, 1, 2] and list(table["time"]) == [0, 1, 9]


def test_has_measured_times_as_coordinates(server, tmp_path):
    pytest.importorskip("xarray")
    pytest.importorskip("dask")
    with acq.open(write_stack(tmp_path / "uneven.ome.tif", OME, 3), server=server) as a:
        times = a.to_xarray().coords["T"]
        assert times.values.tolist() == [0, 1, 9] and times.attrs["units"] == "seconds"


def test_knows_axes_without_measured_values_by_their_step(example):
    assert example.coordinates == {} and example.instrument == {"start": "2026-01-15T10:30:00"}
    assert list(example.planes()["C"]) == [0, 1]


def test_opens_pages_as_what_the_caller_says(server, tmp_path):
    path = write_stack(tmp_path / "pages.tif", "", 6)
    with acq.open(path, server=server, interpret={"axes": {"T": 3, "C": 2}}) as a:
        assert a.sizes == {"T": 3, "C": 2, "Z": 1, "Y": 2, "X": 2} and list(a.steps) == ["T", "C", "Y", "X"]
        assert a.array()[:, :, 0, 0, 0].tolist() == [[0, 1], [2, 3], [4, 5]]


def test_opens_the_files_of_a_recording(server, tmp_path):
    for t in (9, 10):
        for c in (1, 2):
            write_stack(tmp_path / f"x_t{t}_c{c}.tif", "", 1, first=10 * t + c)
    path = tmp_path / "x_t10_c1.tif"
    with acq.open(path, server=server) as a:
        assert a.recording == acq.SplitRecording(parts=4, part=2, along=("T", "C"), evidence="names")
        assert a.sizes["T"] == a.sizes["C"] == 1
    with acq.open(path, server=server, parts="all") as a:
        assert a.array()[:, :, 0, 0, 0].tolist() == [[91, 92], [101, 102]]
        assert a.channels == ["c1", "c2"] and "joined by the numbers" in a.warnings[0]


def test_names_the_file_that_describes_a_set(server, tmp_path):
    (tmp_path / "MetaData").mkdir()
    for t in range(2):
        write_stack(tmp_path / f"A_t{t:02}_ch00.tif", "", 1, first=t)
    dims = "".join(
        f'<DimensionDescription DimID="{i}" NumberOfElements="2" Length="{length}" Unit="{unit}"/>'
        for i, length, unit in [(1, "5e-7", "m"), (2, "5e-7", "m"), (4, "3", "s")]
    )
    channels = '<Channels><ChannelDescription DataType="0" Resolution="16" LUTName="Green"/></Channels>'
    xml = f"<Data><Image><ImageDescription>{channels}<Dimensions>{dims}</Dimensions></ImageDescription></Image></Data>"
    (tmp_path / "MetaData" / "A.xml").write_text(xml)
    with acq.open(tmp_path / "A_t01_ch00.tif", server=server, parts="all") as a:
        assert a.recording == acq.SplitRecording(2, 1, ("T",), "master file", "MetaData/A.xml")
        assert a.array()[:, 0, 0, 0, 0].tolist() == [0, 1] and a.channels == ["Green"]
        assert a.steps["T"] == 3 and abs(a.steps["X"] - 0.5) < 1e-6


def test_joins_what_tifffile_reads_file_by_file(server, tmp_path):
    tifffile = pytest.importorskip("tifffile")
    paths = [tmp_path / f"x_z{z:02}.tif" for z in (8, 9, 10)]
    for z, path in enumerate(paths):
        tifffile.imwrite(path, np.arange(24, dtype=np.uint16).reshape(2, 3, 4) + 100 * z, photometric="minisblack")
    with acq.open(paths[1], server=server, parts="all", interpret={"axes": {"T": 2, "Z": 3}, "order": ["Z", "T"]}) as a:
        joined = a.array()[:, 0]
    expected = np.stack([tifffile.imread(path) for path in paths], axis=1)
    assert np.array_equal(joined, expected)


def test_saves_a_hyperstack_for_imagej(server, tmp_path):
    tifffile = pytest.importorskip("tifffile")
    source, saved = write_stack(tmp_path / "uneven.ome.tif", OME, 3), tmp_path / "saved.tif"
    with acq.open(source, server=server, calibration={"X": {"step": 0.25, "unit": "micrometer"}}) as a:
        a.save_imagej(saved)
        planes = a.array()[:, 0, 0]
    with tifffile.TiffFile(saved) as file:
        told = file.imagej_metadata
        assert told["frames"] == 3 and told["finterval"] == 4.5 and told["unit"] == "micron"
        assert told["Labels"] == ["CH1 0 s", "CH1 1 s", "CH1 9 s"]
        assert np.array_equal(file.asarray(), planes)
    with acq.open(saved, server=server) as back:
        assert back.steps["T"] == 4.5 and back.steps["X"] == 0.25


def test_saves_no_integers_that_a_float_would_change():
    from acquisition_store._imagej import _exact

    single = np.dtype("float32")
    for value, kind in [(2**24, "uint32"), (2**53, "int64"), (-(2**63), "int64")]:
        assert _exact(np.array([value], kind), single)[0] == value
    for value, kind in [(2**24 + 1, "uint32"), (2**53 + 1, "int64"), (2**63 - 1, "int64"), (2**64 - 1, "uint64")]:
        with pytest.raises(ValueError, match=kind):
            _exact(np.array([value], kind), single)


def test_has_no_measured_positions_along_a_projection(server, stack):
    pytest.importorskip("xarray")
    assert {"T", "Z"} <= set(stack.coordinates)
    with acq.open(stack.path, server=server, projection={"Z": "max"}) as a:
        assert set(a.coordinates) == set(stack.coordinates) - {"Z"}
        image = a.to_xarray()
        assert image.sizes["Z"] == 1 and np.array_equal(image.coords["T"], stack.coordinates["T"])
