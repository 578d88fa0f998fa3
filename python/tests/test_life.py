"""Sessions that end, servers that come and go, threads, processes and interruptions."""

import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import pickle
import shlex
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import acquisition_store as acq
from conftest import COMMAND, EXAMPLE

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and fork")


def session_of(acquisition):
    return acquisition.info["sessionId"]


def end_session(acquisition):
    acquisition.server.transport.json("DELETE", f"/api/v2/sessions/{session_of(acquisition)}")


def session_exists(server, session):
    try:
        server.transport.json("GET", f"/api/v2/sessions/{session}")
    except acq.AcqError as error:
        assert error.code == "session_not_found"
        return False
    return True


def run_python(code, *arguments, env=None):
    environment = {**os.environ, **(env or {})}
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


def test_opens_again_what_has_ended(example):
    plane, first = example.plane(), session_of(example)
    end_session(example)
    assert np.array_equal(example.plane(), plane) and session_of(example) != first
    end_session(example)
    assert np.array_equal(example.array()[0, 0, 0], plane)


def test_opens_again_in_the_middle_of_a_zarr_group(stack):
    pytest.importorskip("zarr")
    group = stack.zarr()
    end_session(stack)
    assert np.array_equal(group["0"][...], np.asarray(stack.array()))
    assert np.array_equal(group["0"][...], np.asarray(stack))


def test_opens_again_once_for_all_threads(server, relay):
    opens = []
    with acq.open(EXAMPLE, server=server) as a:
        json_of = server.transport.json
        server.transport.json = lambda method, path, body=None: (opens.append(path), json_of(method, path, body))[1]
        try:
            plane = a.plane()
            end_session(a)
            opens.clear()
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                planes = list(pool.map(lambda _: a.plane(), range(24)))
        finally:
            del server.transport.json
    assert opens.count("/api/v2/open") == 1
    assert all(np.array_equal(each, plane) for each in planes)


def test_refuses_to_go_on_with_another_file(server, tmp_path):
    copy = tmp_path / "scan.ome.tif"
    copy.write_bytes(EXAMPLE.read_bytes())
    with acq.open(copy, server=server) as a:
        a.plane()
        end_session(a)
        os.utime(copy, (1, 1))
        with pytest.raises(acq.AcqError) as caught:
            a.plane()
    assert caught.value.code == "source_changed" and "Open the file again" in caught.value.hint


def test_goes_on_with_a_server_that_was_started_again():
    with acq.Server(command=COMMAND) as own:
        with acq.open(EXAMPLE, server=own) as a:
            plane = a.plane()
            own.process.kill()
            own.process.wait()
            assert np.array_equal(a.plane(), plane)
            assert own.process.poll() is None
            own.process.kill()
            own.process.wait()
            with acq.open(EXAMPLE, server=own) as b:
                assert np.array_equal(b.plane(), plane)


def test_reports_a_server_that_does_not_answer():
    with pytest.raises(acq.AcqError) as caught:
        acq.Server("http://127.0.0.1:9")
    assert caught.value.code == "server_unreachable"
    with pytest.raises(ValueError, match="expected http://HOST:PORT"):
        acq.Server("localhost:8767")
    with pytest.raises(acq.AcqError) as caught:
        acq.Server(command=["/nowhere/acqstore"])
    assert caught.value.code == "no_server" and "acqstore serve" in caught.value.hint
    with pytest.raises(acq.AcqError, match="ended with exit code"):
        acq.Server(command=[sys.executable, "-c", "raise SystemExit(3)"])


def test_closes_its_sessions(server):
    with acq.open(EXAMPLE, server=server) as a:
        session = session_of(a)
        assert session_exists(server, session)
    assert not session_exists(server, session)
    forgotten = acq.open(EXAMPLE, server=server)
    session = session_of(forgotten)
    del forgotten
    assert not session_exists(server, session)


def test_a_program_leaves_nothing_behind(server):
    code = """
        import sys, acquisition_store as acq
        a = acq.open(sys.argv[1])
        a.plane()
        print(a.info["sessionId"], a.server.process and a.server.process.pid, a.server._state_dir)
    """
    session, pid, _ = run_python(code, EXAMPLE, env={"ACQSTORE_URL": server.url}).stdout.split()
    assert pid == "None" and not session_exists(server, session)
    own = {"ACQSTORE_URL": "", "ACQSTORE_STATE_DIR": "/nowhere", "ACQSTORE_COMMAND": " ".join(COMMAND)}
    _, pid, folder = run_python(code, EXAMPLE, env=own).stdout.split()
    assert not pathlib.Path(folder).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


@posix
def test_starts_the_server_of_its_environment(monkeypatch, tmp_path):
    program = tmp_path / "acqstore"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr("sysconfig.get_path", {"scripts": str(tmp_path)}.get)
    # That of the package acquisition-store-server would come first.
    monkeypatch.setitem(sys.modules, "acquisition_store_server", None)
    monkeypatch.setenv("ACQSTORE_STATE_DIR", "/nowhere")
    for name in ("ACQSTORE_URL", "ACQSTORE_COMMAND"):
        monkeypatch.delenv(name, raising=False)
    with acq.Server() as server, acq.open(EXAMPLE, server=server) as a:
        assert server.process.args[0] == str(program)
        assert a.channels == ["Calcium", "Vessel"]


@posix
def test_an_own_server_ends_with_a_program_that_is_killed():
    code = """
        import os, signal, acquisition_store as acq, sys
        print(acq.Server(command=sys.argv[1:]).process.pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    pid = int(run_python(code, *COMMAND).stdout)
    for _ in range(200):
        if not pathlib.Path(f"/proc/{pid}").exists() or "Z" in pathlib.Path(f"/proc/{pid}/stat").read_text().split()[2]:
            return
        time.sleep(0.05)
    pytest.fail("the server still runs")


def test_finds_the_server_that_runs(tmp_path):
    state = tmp_path / "state"
    # A server that other computers can reach has a token.
    remote = ["--host", "0.0.0.0", "--token", "t" * 32, "--root", EXAMPLE.parent]
    serve = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0", "--state-dir", state, "--stop-with-stdin", *remote],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not list(state.glob("instance-*.json")):
            assert serve.poll() is None
            time.sleep(0.03)
        told = json.loads(next(state.glob("instance-*.json")).read_text())
        # Files of a server that has ended, of another program on the port, and of nothing that can be read.
        (state / "instance-1.json").write_text("{")
        (state / "instance-2.json").write_text(json.dumps({**told, "url": "http://127.0.0.1:9"}))
        (state / "instance-3.json").write_text(json.dumps({**told, "secret": "0" * 64, "token": "wrong"}))
        code = "import sys, acquisition_store as acq; a = acq.open(sys.argv[1]); print(a.server.url, a.plane().shape)"
        ended = run_python(code, EXAMPLE, env={"ACQSTORE_URL": "", "ACQSTORE_STATE_DIR": str(state)})
        assert ended.stdout.strip() == f"{told['url']} (4000, 96)", ended.stderr
        with pytest.raises(acq.AcqError, match="unauthorized.*\n.*ACQSTORE_TOKEN"):
            acq.open(EXAMPLE, server=told["url"])
        with acq.open(EXAMPLE, server=acq.Server(told["url"], token=told["token"])) as a:
            assert a.plane().shape == (4000, 96)
    finally:
        serve.stdin.close()
        serve.wait(10)


def test_threads_share_an_acquisition(stack):
    whole = np.asarray(stack.array())
    places = [(t, c, z) for t in range(3) for c in range(2) for z in range(5)] * 4
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        read = list(pool.map(lambda place: stack.array()[place], places))
    assert all(np.array_equal(plane, whole[place]) for plane, place in zip(read, places))


def _sum(argument):
    acquisition, place = argument
    return int(acquisition.array()[place].sum())


_shared = None


def _sum_of_shared(place):
    return int(_shared.array()[place].sum())


@posix
def test_forked_processes_use_connections_of_their_own(stack):
    global _shared
    _shared = stack
    whole, session = np.asarray(stack.array()), session_of(stack)
    places = [(t, c, z) for t in range(3) for c in range(2) for z in range(5)]
    with multiprocessing.get_context("fork").Pool(3) as pool:
        running = pool.map_async(_sum_of_shared, places * 3)
        while not running.ready():  # The parent reads over the connection that the children have inherited.
            assert np.array_equal(stack.array()[1, 1], whole[1, 1])
    assert running.get() == [int(whole[place].sum()) for place in places] * 3
    assert session_of(stack) == session and session_exists(stack.server, session)


def test_spawned_processes_get_it_pickled(stack):
    whole, session = np.asarray(stack.array()), session_of(stack)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        sums = pool.map(_sum, [(stack, (t, 0, 0)) for t in range(3)])
    assert sums == [int(whole[t, 0, 0].sum()) for t in range(3)]
    assert session_of(stack) == session and session_exists(stack.server, session)
    error = pickle.loads(pickle.dumps(acq.ChannelNotFoundError("x", "scan", ["a"])))
    assert error.code == "channel_not_found" and "'a'" in error.message


def test_dask_reads_in_processes(stack):
    pytest.importorskip("dask")
    assert int(stack.to_dask().sum().compute(scheduler="processes", num_workers=2)) == np.asarray(stack.array()).sum()


def test_an_answer_that_ends_early_is_an_error(relay):
    cut = relay(cut_after=300_000)
    with acq.open(EXAMPLE, server=acq.Server(cut.url)) as a:
        with pytest.raises(acq.AcqError) as caught:
            a.plane()
        assert caught.value.code == "incomplete" and "of 1536000 bytes" in caught.value.message
        # Small reads still work, over a new connection.
        assert a.window(0, (0, 10)).shape == (10, 96)


@posix
def test_interrupting_a_read_leaves_nothing_behind(relay):
    code = """
        import sys, threading, acquisition_store as acq
        a = acq.open(sys.argv[1], server=acq.Server(sys.argv[2]))
        first = a.window(0, (0, 10))
        print("reading", flush=True)
        try:
            a.plane()
        except KeyboardInterrupt:
            again = a.window(0, (0, 10))
            print((again == first).all(), threading.active_count(), flush=True)
        a.close()
    """
    held = relay(hold_after=400_000)
    program = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(EXAMPLE), held.url], stdout=subprocess.PIPE, text=True
    )
    assert program.stdout.readline() == "reading\n"
    assert held.held.wait(20)
    time.sleep(0.1)
    program.send_signal(signal.SIGINT)
    assert program.stdout.readline() == "True 1\n"
    assert held.closed_by_client.wait(10)
    assert program.wait(10) == 0


@posix
def test_interrupting_does_not_stop_an_own_server():
    code = """
        import os, signal, sys, time, acquisition_store as acq
        with acq.Server(command=sys.argv[2:]) as own, acq.open(sys.argv[1], server=own) as a:
            try:
                os.killpg(0, signal.SIGINT)
                time.sleep(5)
            except KeyboardInterrupt:
                time.sleep(0.3)
                print(a.plane().shape, own.process.poll())
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(EXAMPLE), *COMMAND],
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=60,
    )
    assert ended.stdout == "(4000, 96) None\n", ended.stderr


def test_waits_while_the_server_is_busy(server, monkeypatch):
    import acquisition_store._transport as transport

    pauses = []
    monkeypatch.setattr(transport.time, "sleep", pauses.append)
    answers = _busy_server(3)
    try:
        assert transport.Transport(answers.url).json("GET", "/api/v2/health")["ok"] is True
        assert pauses == [2.0, 2.0, 2.0]
    finally:
        answers.shutdown()
    answers = _busy_server(99)
    try:
        with pytest.raises(acq.AcqError, match="capacity_exceeded: busy"):
            transport.Transport(answers.url).json("GET", "/api/v2/health")
    finally:
        answers.shutdown()


def _busy_server(times):
    import http.server
    import threading

    class Handler(http.server.BaseHTTPRequestHandler):
        left = times

        def do_GET(self):
            busy = Handler.left > 0
            Handler.left -= 1
            told = {"ok": False, "error": "capacity_exceeded", "message": "busy", "details": None} if busy else {"ok": True}
            body = json.dumps(told).encode()
            self.send_response(503 if busy else 200)
            self.send_header("Content-Length", str(len(body)))
            if busy:
                self.send_header("Retry-After", "2")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{made.server_address[1]}"
    threading.Thread(target=made.serve_forever, daemon=True).start()
    return made
