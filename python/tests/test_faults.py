"""Answers that are not those of a server of acquisitions, and what is left open."""

import http.server
import json
import subprocess
import sys
import threading

import pytest

import acquisition_store as acq
from conftest import EXAMPLE

INDEX = {"ok": True, "apiVersion": "v2", "serverVersion": "0.1.0"}


@pytest.fixture
def pretend():
    """Starts a program that answers each path with a body of its own."""
    made = []

    def start(answers, status=200):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                told = answers.get(self.path.partition("?")[0], answers[""])
                body = told if isinstance(told, bytes) else json.dumps(told).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.do_GET()

            do_DELETE = do_GET

            def log_message(self, *_):
                pass

        made.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=made[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{made[-1].server_port}"

    yield start
    for each in made:
        each.shutdown()
        each.server_close()


@pytest.mark.parametrize(
    "answer", [b"<html>Log in</html>", b"", b"\xff\xfe", [1, 2], {"name": "something else"}, {"apiVersion": "v2"}], ids=repr
)
def test_knows_what_is_not_a_server(pretend, answer):
    with pytest.raises(acq.AcqError, match="not JSON|not a server") as caught:
        acq.Server(pretend({"": answer}))
    assert caught.value.code == "not_a_server" and "proxy" in caught.value.hint


@pytest.mark.parametrize(
    ("status", "code"),
    [(302, "not_a_server"), (401, "not_a_server"), (404, "not_a_server"), (502, "internal_error")],
)
def test_knows_the_refusals_of_other_programs(pretend, status, code):
    with pytest.raises(acq.AcqError, match=f"HTTP {status}") as caught:
        acq.open(EXAMPLE, server=pretend({"": b"<html>Log in</html>"}, status))
    assert (caught.value.code, caught.value.status) == (code, status)


def test_refuses_a_server_that_is_too_old(pretend):
    with pytest.raises(acq.AcqError, match=r"version 0\.0\.9; this client needs 0\.1 or newer") as caught:
        acq.Server(pretend({"": {**INDEX, "serverVersion": "0.0.9"}}))
    assert caught.value.code == "server_too_old" and "newer server" in caught.value.hint
    assert acq.Server(pretend({"": {**INDEX, "serverVersion": "10.2.0-beta"}})).url


def test_knows_an_answer_without_an_array(pretend, example):
    info = json.loads(json.dumps(example.info))
    url = pretend({"/api/v2": INDEX, "/api/v2/open": info, "": b"<html>"})
    with acq.open(EXAMPLE, server=url) as a:
        for read in (lambda: a.window(0), lambda: a.statistics(0), lambda: a.traces(0, [{}])):
            with pytest.raises(acq.AcqError) as caught:
                read()
            assert caught.value.code == "not_a_server"
        with pytest.raises(acq.AcqError) as caught:
            a.plane(0)
        assert caught.value.code == "incomplete"


def test_refuses_a_command_that_is_none(monkeypatch):
    monkeypatch.setenv("ACQSTORE_COMMAND", "node 'main.js")
    monkeypatch.setenv("ACQSTORE_STATE_DIR", "/nowhere")
    monkeypatch.delenv("ACQSTORE_URL", raising=False)
    with pytest.raises(acq.AcqError, match="ACQSTORE_COMMAND") as caught:
        acq.Server()
    assert caught.value.code == "no_server"


PROGRAM = """
import gc, os, stat, sys, threading
import acquisition_store as acq
path, url = sys.argv[1:]
def connected():
    return sum(stat.S_ISSOCK(os.fstat(each).st_mode) for each in range(256) if is_open(each))
def is_open(each):
    try: os.fstat(each)
    except OSError: return False
    return True
with acq.open(path, server=acq.Server(url)) as a:
    threads = [threading.Thread(target=a.plane, args=(index,)) for index in (0, 1)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    for event in a.events(): break
kept = [acq.imread(path, server=url) for _ in range(9)]
lost = acq.open(path, server=url)
del a, lost
gc.collect()
print(len(kept), connected())
"""


def test_leaves_no_socket_open(server):
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", PROGRAM, str(EXAMPLE), server.url]
    # Standard input may be a socket, which is none of the client.
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert ended.stdout == "9 0\n" and ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
