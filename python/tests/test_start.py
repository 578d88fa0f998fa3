"""Servers that cannot start say why."""

import os
import sys
import tempfile
import time

import pytest

import acquisition_store as acq
import acquisition_store._server as implementation
from conftest import COMMAND


@pytest.fixture(autouse=True)
def no_folder_stays(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield
    assert list(tmp_path.iterdir()) == []


def fault_of(*command):
    with pytest.raises(acq.AcqError) as caught:
        acq.Server(command=command)
    assert caught.value.code == "no_server" and "acqstore serve" in caught.value.hint
    return caught.value.message


def python(code):
    return [sys.executable, "-c", code]


def test_quotes_the_server(monkeypatch):
    monkeypatch.setenv("ACQSTORE_ROOT", "/nowhere/at all")
    message = fault_of(*COMMAND)
    assert message.startswith(f"`{COMMAND[0]} serve` ended with exit code 2: ") and "/nowhere/at all" in message
    assert "acqstore: " not in message and "\n" not in message


def test_quotes_a_program_that_is_not_the_server():
    if len(COMMAND) > 1:
        assert "Error: Cannot find module '/nowhere/main.js'" in fault_of(COMMAND[0], "/nowhere/main.js")
    assert fault_of(*python("raise ValueError('no room')")).endswith("ended with exit code 1: ValueError: no room")
    colored = "import sys; print('one\\n\\x1b[31mtwo\\t3 \\n\\n', file=sys.stderr); sys.exit(3)"
    assert fault_of(*python(colored)).endswith("ended with exit code 3: [31mtwo 3")
    assert fault_of(*python("raise SystemExit(3)")).endswith("ended with exit code 3")


def test_keeps_the_end_of_what_a_chatty_program_says():
    chatty = "import sys\nfor i in range(200_000): print(i, 'x' * 100, file=sys.stderr)\nsys.exit('y' * 3_000)"
    message = fault_of(*python(chatty))
    assert message.endswith(": " + "y" * implementation.MAX_COMPLAINT)


def test_a_program_that_never_ends_fills_no_disk(monkeypatch, tmp_path):
    sizes = []
    monkeypatch.setattr(implementation, "START_SECONDS", 2.0)
    pause = time.sleep

    def watch(seconds):
        sizes.extend(path.stat().st_size for path in tmp_path.glob("*/standard-error"))
        pause(seconds)

    monkeypatch.setattr(implementation.time, "sleep", watch)
    talk = "print('x' * 200_000, '\\nstill nothing', file=sys.stderr); time.sleep(0.005)"
    endless = f"import sys, time\nwhile True: {talk}"
    assert fault_of(*python(endless)).endswith("did not start in 2 seconds: still nothing")
    # It wrote more than the limit, and no look found much more than the limit.
    assert sum(size > later for size, later in zip(sizes, sizes[1:])) > 1
    assert max(sizes) < 20 * implementation.MAX_ERRORS


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_reports_a_server_that_was_killed():
    code = "import os, signal, sys; print('bye', file=sys.stderr, flush=True); os.kill(os.getpid(), signal.SIGTERM)"
    assert fault_of(*python(code)).endswith("ended with exit code -15: bye")
