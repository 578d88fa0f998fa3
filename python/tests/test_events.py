"""Recordings that grow while they are followed."""

import os
import shutil
import threading

import pytest

import acquisition_store as acq
from conftest import EXAMPLE


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "recording.ome.tif"
    shutil.copy(EXAMPLE, path)
    return path


def grow(path):
    with path.open("ab") as file:
        file.write(bytes(64))


def test_events_tell_of_a_change_and_of_the_end(server, recording):
    a = acq.open(recording, server=server)
    seen = []
    for event in a.events():
        seen.append(event)
        if event.type == "state":
            # The connection of the events is another one.
            assert a.plane(0).shape == a.shape
            grow(recording)
        if event.type == "changed":
            a.close()
    assert [event.type for event in seen] == ["state", "changed", "ended"]
    assert seen[0].revision == a.info["source"]["revision"] != seen[1].revision
    assert (seen[2].revision, seen[2].reason) == (None, "deleted")


def test_follow_opens_what_is_there_now(server, recording):
    with acq.open(recording, server=server) as a:
        revisions = []
        for newest in a.follow():
            revisions.append(newest.info["source"]["revision"])
            assert newest.plane(0).shape == a.shape
            if len(revisions) == 3:
                break
            grow(recording)
        assert len(set(revisions)) == 3
        assert revisions[0] == a.info["source"]["revision"]


def test_follow_waits_for_the_rest_of_a_header(server, recording):
    whole = recording.read_bytes()
    with acq.open(recording, server=server) as a:
        followed = a.follow()
        next(followed)
        os.truncate(recording, 4)
        writer = threading.Timer(2.5, recording.write_bytes, [whole])
        writer.start()
        assert next(followed).plane(0).shape == a.shape
        writer.join()
        followed.close()


def test_a_session_that_has_ended_has_no_events(server, recording):
    a = acq.open(recording, server=server)
    server.transport.json("DELETE", f"/api/v2/sessions/{a.info['sessionId']}")
    with pytest.raises(acq.AcqError) as error:
        next(iter(a.events()))
    assert error.value.code == "session_not_found"
