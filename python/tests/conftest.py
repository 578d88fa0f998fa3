"""Fixtures: a real server, the sample files, and a relay that counts, slows down or cuts what the server sends."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shlex
import socket
import threading

import pytest

import acquisition_store as acq

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# The source package has the tests without the repository around them.
EXAMPLE = pathlib.Path(os.environ.get("ACQSTORE_EXAMPLE", REPOSITORY / "examples" / "vessel-kymograph.ome.tif"))
COMMAND = shlex.split(os.environ.get("ACQSTORE_COMMAND", f"node {REPOSITORY}/packages/server/dist/cli/main.js"))
SAMPLES = pathlib.Path(os.environ.get("ACQSTORE_SAMPLES", REPOSITORY.parent / "shared" / "samples"))
LONG = "ACQSTORE_TEST_LONG" in os.environ

STACK = "czi/sebi06+czitools/CellDivision_T3_Z5_CH2_X240_Y170.czi"


def expected_files():
    path = SAMPLES / "EXPECTED.json"
    return json.loads(path.read_text())["files"] if path.exists() else {}


def expected_zarr():
    """Arrays of OME-Zarr samples, by the path of their store."""
    path = SAMPLES / "EXPECTED.json"
    return json.loads(path.read_text())["zarr"] if path.exists() else {}


def pytest_collection_modifyitems(items):
    for item in items:
        if "slow" in item.keywords and not LONG:
            item.add_marker(pytest.mark.skip(reason="reads many or large files; set ACQSTORE_TEST_LONG"))


@pytest.fixture(scope="session")
def server():
    with acq.Server(command=COMMAND) as started:
        yield started


@pytest.fixture
def example(server):
    with acq.open(EXAMPLE, server=server) as opened:
        yield opened


@pytest.fixture
def stack(server):
    path = SAMPLES / STACK
    if not path.exists():
        pytest.skip("the sample files are missing")
    with acq.open(path, server=server) as opened:
        yield opened


class Relay:
    """Passes connections on to a server; `received` counts the bytes of its answers."""

    def __init__(self, url, *, cut_after=None, hold_after=None):
        host, port = url.removeprefix("http://").split(":")
        self._target = (host, int(port))
        self.received = 0
        self.connections = 0
        self.cut_after = cut_after
        self.hold_after = hold_after
        self.held = threading.Event()
        self.closed_by_client = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            upstream = socket.create_connection(self._target)
            threading.Thread(target=self._up, args=(client, upstream), daemon=True).start()
            threading.Thread(target=self._down, args=(client, upstream), daemon=True).start()

    def _up(self, client, upstream):
        try:
            while data := client.recv(65536):
                # Host must be the server's own address.
                upstream.sendall(data.replace(self.url[7:].encode(), b"%s:%d" % (self._target[0].encode(), self._target[1])))
        except OSError:
            pass
        self.closed_by_client.set()
        with contextlib.suppress(OSError):
            upstream.shutdown(socket.SHUT_RDWR)
        upstream.close()

    def _down(self, client, upstream):
        sent = 0
        try:
            while data := upstream.recv(65536):
                self.received += len(data)
                sent += len(data)
                client.sendall(data)
                if self.cut_after is not None and sent > self.cut_after:
                    break
                if self.hold_after is not None and sent > self.hold_after:
                    self.held.set()
                    self.closed_by_client.wait(30)
                    break
        except OSError:
            pass
        # close() alone would wait for the thread that reads from it.
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)
        client.close()

    def close(self):
        self._listener.close()


@pytest.fixture
def relay(server):
    made = []

    def make(**options):
        made.append(Relay(server.url, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()
