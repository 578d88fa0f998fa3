"""Folders of the computer of the server."""

import datetime
import inspect
import os
import shutil
import sys
import warnings

import pytest

import acquisition_store as acq
from conftest import COMMAND, EXAMPLE


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "day 2" / "deep").mkdir(parents=True)
    (tmp_path / "day 10").mkdir()
    for path in ("scan #1.ome.tif", "day 2/b.tif", "day 2/deep/c.tif", "notes.docx"):
        (tmp_path / path).write_bytes(EXAMPLE.read_bytes())
    return tmp_path


def test_lists_a_folder_when_it_is_looked_into(server, relay, folder):
    counted = relay()
    told = acq.browse(folder, server=acq.Server(counted.url))
    before = counted.received
    assert repr(told) == f"<Folder {folder}>" and told.path == str(folder) and counted.received == before
    assert list(told) == ["day 2", "day 10", "scan #1.ome.tif"] and len(told) == 3 and "day 2" in told
    after = counted.received
    assert after > before and not told.is_truncated and counted.received == after
    assert isinstance(told["day 2"], acq.Folder) and list(told["day 2"]) == ["b.tif", "deep"]
    with pytest.raises(KeyError):
        told["notes.docx"]


def test_opens_what_it_lists(server, folder):
    file = acq.browse(folder, server=server)["scan #1.ome.tif"]
    assert isinstance(file, acq.File) and file.size == os.path.getsize(EXAMPLE)
    age = datetime.datetime.now().astimezone() - file.modified
    assert datetime.timedelta(0) <= age + datetime.timedelta(seconds=2) < datetime.timedelta(minutes=5)
    with file.open(channels=["Vessel"]) as a:
        assert a.channels == ["Vessel"] and a.path == file.path


def test_walks_through_all_folders(server, folder, monkeypatch):
    told = [file.path for file in acq.browse(folder, server=server).walk()]
    assert told == [str(folder / "day 2/b.tif"), str(folder / "day 2/deep/c.tif"), str(folder / "scan #1.ome.tif")]
    assert [file.name for file in acq.browse(folder, server=server).files()] == ["scan #1.ome.tif"]
    monkeypatch.chdir(folder)
    assert acq.browse("day 2", server=server).path == str(folder / "day 2")


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_walks_through_a_folder_once(server, folder):
    (folder / "day 2" / "again").symlink_to(folder)
    assert sorted(file.name for file in acq.browse(folder, server=server).walk()) == [
        "b.tif",
        "c.tif",
        "scan #1.ome.tif",
    ]


def names_of(files):
    return [file.name for file in files]


def test_goes_on_after_a_folder_that_is_gone(server, folder):
    """The folder is deleted between the list of the folder above and its own."""
    files = acq.browse(folder, server=server).walk()
    assert next(files).name == "b.tif"
    shutil.rmtree(folder / "day 2" / "deep")
    with pytest.warns(UserWarning) as told:
        assert names_of(files) == ["scan #1.ome.tif"]
    assert [str(one.message).startswith(f"{folder / 'day 2' / 'deep'} was skipped: ") for one in told] == [True]
    assert told[0].filename == __file__


@pytest.fixture
def unreadable(folder):
    """A folder that the server may not list. Linux has none for root, and so for a server of root."""
    path = folder / "day 2"
    path.chmod(0)
    yield path
    path.chmod(0o700)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the user may list every folder")
def test_goes_on_after_a_folder_that_may_not_be_listed(server, folder, unreadable):
    with pytest.warns(UserWarning, match="day 2 was skipped: day 2: "):
        assert names_of(acq.browse(folder, server=server).walk()) == ["scan #1.ome.tif"]
    skipped = []
    files = acq.browse(folder, server=server).walk(lambda *told: skipped.append(told))
    assert names_of(files) == ["scan #1.ome.tif"]
    assert [(path.path, error.code) for path, error in skipped] == [(str(unreadable), "path_not_readable")]


def test_tells_a_function_of_folders_that_are_skipped(server, folder):
    skipped = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        files = acq.browse(folder, server=server).walk(on_error=lambda *told: skipped.append(told))
        next(files)
        shutil.rmtree(folder / "day 2" / "deep")
        assert names_of(files) == ["scan #1.ome.tif"]
        assert list(acq.browse(folder / "none", server=server).walk(lambda *told: skipped.append(told))) == []
    found = [(path.path, error.code) for path, error in skipped]
    assert found == [(str(folder / name), "path_not_found") for name in ("day 2/deep", "none")]


def test_a_function_may_end_the_walk(server, folder):
    def end(_, error):
        raise error

    files = acq.browse(folder, server=server).walk(end)
    next(files)
    shutil.rmtree(folder / "day 2" / "deep")
    with pytest.raises(acq.AcqError, match="path_not_found"):
        list(files)


def test_a_walk_ends_with_its_first_folder_and_with_its_server(server, folder):
    with pytest.raises(acq.AcqError, match="path_not_found"):
        list(acq.browse(folder / "none", server=server).walk())
    with acq.Server(command=COMMAND) as own:
        files = acq.browse(folder, server=own).walk(on_error=lambda *_: None)
        next(files)
        own.process.kill()
        own.process.wait()
        with pytest.raises(acq.AcqError, match="server_unreachable"):
            list(files)


@pytest.mark.slow
def test_tells_of_a_folder_with_too_many_entries(server, tmp_path):
    for i in range(10_001):
        (tmp_path / f"{i}.tif").touch()
    with pytest.warns(UserWarning, match="has more entries than the 10,000 listed"):
        assert len(list(acq.browse(tmp_path, server=server).walk())) == 10_000


def test_starts_with_the_places_of_the_server(server):
    places = acq.browse(server=server)
    assert places.path is None and len(places) > 0


def test_tells_why_there_is_nothing(server, folder):
    with pytest.raises(acq.AcqError) as caught:
        list(acq.browse(folder / "none", server=server))
    assert caught.value.code == "path_not_found"


def test_lists_recordings_of_a_tree_when_they_are_asked_for(server, relay, folder):
    (folder / "day 2" / "settings.xml").write_text("<settings/>")
    counted = relay()
    recordings = acq.catalog(folder, server=acq.Server(counted.url))
    before = counted.received
    first = next(recordings)
    assert counted.received > before and isinstance(first, acq.Recording)
    assert (first.name, first.format, first.files) == ("b.tif", "TIFF", 1) and first.size == os.path.getsize(EXAMPLE)
    assert repr(first) == f"<Recording {folder / 'day 2' / 'b.tif'}>"
    assert [one.path for one in recordings] == [str(folder / "day 2/deep/c.tif"), str(folder / "scan #1.ome.tif")]
    with first.open() as a:
        assert a.path == first.path


def test_a_catalog_has_a_set_once(server, tmp_path):
    (tmp_path / "rec.oir").write_bytes(b"OLYMPUSRAWFORMAT")
    for part in ("rec_00001", "rec_00002"):
        (tmp_path / part).write_bytes(b"12345")
    (told,) = acq.catalog(tmp_path, server=server)
    assert (told.name, told.files, told.size, told.format) == ("rec.oir", 3, 26, "Olympus OIR")


def test_a_recording_tells_what_is_in_it_when_it_is_asked(server, relay, folder):
    counted = relay()
    first = next(acq.catalog(folder, server=acq.Server(counted.url)))
    before = counted.received
    assert first.sizes == {"T": 1, "C": 2, "Z": 1, "Y": 4000, "X": 96} and first.channels == ["Calcium", "Vessel"]
    after = counted.received
    assert after > before
    assert (first.units["Y"], first.scenes, first.dtype, first.error) == ("seconds", 1, "uint16", None)
    assert first.date == datetime.datetime(2026, 1, 15, 10, 30) and first.steps["X"] == pytest.approx(0.284)
    assert first.instrument == {"start": "2026-01-15T10:30:00"}
    assert (first.warnings, first.recording, counted.received) == ([], None, after)
    assert first.thumbnail.startswith(b"\x89PNG")


def test_a_catalog_brings_what_is_in_many(server, relay, folder):
    (folder / "z damaged.tif").write_bytes(b"II*\0\xff\xff\xff\x7f")
    counted = relay()
    told = list(acq.catalog(folder, details=True, thumbnails=True, server=acq.Server(counted.url)))
    after = counted.received
    assert [(one.name, one.error and one.error.code) for one in told] == [
        ("b.tif", None),
        ("c.tif", None),
        ("scan #1.ome.tif", None),
        ("z damaged.tif", "decode_failed"),
    ]
    assert told[0].thumbnail.startswith(b"\x89PNG") and told[0].sizes["Y"] == 4000 and told[0].format == "TIFF"
    assert counted.received == after
    with pytest.raises(acq.AcqError, match="decode_failed"):
        told[3].sizes
    with pytest.raises(acq.AcqError, match="invalid_argument"):
        acq.catalog(folder, thumbnails=True, server=server)


def test_a_catalog_goes_on_behind_a_folder_that_is_gone(server, folder):
    recordings = acq.catalog(folder, server=server)
    next(recordings)
    shutil.rmtree(folder / "day 2" / "deep")
    with pytest.warns(UserWarning, match="deep was skipped: "):
        assert names_of(recordings) == ["scan #1.ome.tif"]
    with pytest.raises(acq.AcqError, match="path_not_found"):
        list(acq.catalog(folder / "none", server=server))
    skipped = []
    assert list(acq.catalog(folder / "none", server=server, on_error=lambda *told: skipped.append(told))) == []
    assert [(path, error.code) for path, error in skipped] == [(str(folder / "none"), "path_not_found")]


@pytest.mark.skipif(os.name == "nt", reason="paths are short on Windows")
def test_catalog_of_a_tree_deeper_than_python_calls(server, tmp_path):
    deep = tmp_path
    for _ in range(90):
        deep = deep / "f"
    deep.mkdir(parents=True)
    (deep / "scan.ome.tif").write_bytes(EXAMPLE.read_bytes())
    limit = sys.getrecursionlimit()
    frames = len(inspect.stack())
    try:
        # One call for each folder would need more.
        sys.setrecursionlimit(frames + 75)
        found = [recording.path for recording in acq.catalog(tmp_path, server=server)]
    finally:
        sys.setrecursionlimit(limit)
    assert found == [str(deep / "scan.ome.tif")]
