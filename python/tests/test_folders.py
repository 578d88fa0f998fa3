"""Folders of the computer of the server."""

import datetime
import os

import pytest

import acquisition_store as acq
from conftest import EXAMPLE


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


def test_starts_with_the_places_of_the_server(server):
    places = acq.browse(server=server)
    assert places.path is None and len(places) > 0


def test_tells_why_there_is_nothing(server, folder):
    with pytest.raises(acq.AcqError) as caught:
        list(acq.browse(folder / "none", server=server))
    assert caught.value.code == "path_not_found"
