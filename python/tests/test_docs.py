"""The programs in docs/python.md print what the page says."""

import os
import re
import subprocess
import sys

import pytest

from conftest import EXAMPLE, REPOSITORY, SAMPLES, STACK

PAGE = REPOSITORY / "docs" / "python.md"
if not PAGE.exists():
    pytest.skip("the page is in the repository", allow_module_level=True)
BLOCKS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def test_every_program_has_its_output():
    assert len(BLOCKS) == PAGE.read_text("utf-8").count("```python\n") == 8


@pytest.mark.parametrize("program, output", BLOCKS, ids=range(len(BLOCKS)))
def test_prints_what_the_page_says(server, tmp_path, program, output):
    if "/data/stack.czi" in program and not (SAMPLES / STACK).exists():
        pytest.skip("the sample files are missing")
    (tmp_path / "scan.tif").symlink_to(EXAMPLE)
    text = program.replace("/data/stack.czi", str(SAMPLES / STACK)).replace('"/data', f'"{tmp_path}')
    environment = {**os.environ, "ACQSTORE_URL": server.url}
    ended = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, timeout=60)
    # The server follows links.
    assert ended.stdout.replace(EXAMPLE.name, "scan.tif") == output, ended.stderr
