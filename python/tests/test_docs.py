"""The programs in the pages for Python print what the pages say, and that is right."""

import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest

import acquisition_store as acq
from conftest import EXAMPLE, REPOSITORY, SAMPLES, STACK

DOCS = REPOSITORY / "docs"
if not DOCS.exists():
    pytest.skip("the pages are in the repository", allow_module_level=True)
END = "end of a block"


def blocks_of(page):
    """Programs of a page, each with the output that is shown below it."""
    text = (DOCS / page).read_text("utf-8")
    found = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.DOTALL)
    assert len(found) == text.count("```python\n")
    return found


def environment_of(server):
    # The one that is tested: PYTHONPATH may be relative to another folder.
    package = str(pathlib.Path(acq.__file__).parents[1])
    return {**os.environ, "ACQSTORE_URL": server.url, "PYTHONPATH": package, "PYTHONUTF8": "1", "MPLBACKEND": "agg"}


@pytest.fixture
def here(tmp_path):
    """A folder with what the pages name."""
    (tmp_path / "examples").symlink_to(EXAMPLE.parent)
    data = tmp_path / "data"
    data.mkdir()
    (data / "scan.tif").symlink_to(EXAMPLE)
    return tmp_path


def run(program, server, folder, *options):
    text = program.replace("/data/stack.czi", str(SAMPLES / STACK)).replace('"/data', f'"{folder}/data')
    given = ["-c", text] if not options else [*options]
    ended = subprocess.run(
        [sys.executable, *given],
        cwd=folder,
        env=environment_of(server),
        input=text if options else None,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    # The server follows links.
    return ended.stdout.replace(EXAMPLE.name, "scan.tif"), ended.stderr


@pytest.mark.parametrize("program, output", blocks_of("python.md"), ids=range(len(blocks_of("python.md"))))
def test_prints_what_the_page_says(server, here, program, output):
    if "/data/stack.czi" in program and not (SAMPLES / STACK).exists():
        pytest.skip("the sample files are missing")
    assert output
    printed, complaint = run(program, server, here)
    assert printed == output, complaint


def paste(blocks, server, folder):
    """Enters blocks one after the other, as a reader does who copies them. Returns what each of them prints."""
    marked = "".join(f"{program}\n\nprint({END!r})\n" for program, _ in blocks)
    printed, complaint = run(marked.replace("http://127.0.0.1:8767", server.url), server, folder, "-i", "-q")
    # The prompts are there, too.
    assert not complaint.replace(">>> ", "").replace("... ", "").strip(), complaint
    return printed.split(f"{END}\n")[:-1]


@pytest.mark.parametrize("page", ["recipes.md", "how-to/python.md"])
def test_runs_in_order_in_one_interpreter(server, here, page):
    if "how-to" in page:
        pytest.importorskip("requests")
    blocks = blocks_of(page)
    assert len(blocks) > 4
    if not (SAMPLES / STACK).exists():
        blocks = [block for block in blocks if "/data/stack.czi" not in block[0]]
    assert paste(blocks, server, here) == [output for _, output in blocks]


def example_samples():
    """The channels of the example, without the server: strips of deflated samples of 16 bits."""
    content = EXAMPLE.read_bytes()
    planes, at = [], struct.unpack_from("<I", content, 4)[0]
    while at:
        (count,) = struct.unpack_from("<H", content, at)
        tags = {}
        for i in range(count):
            code, kind, length, value = struct.unpack_from("<HHII", content, at + 2 + 12 * i)
            if kind == 4:
                tags[code] = struct.unpack_from(f"<{length}I", content, value) if length > 1 else (value,)
        strips = [zlib.decompress(content[start : start + size]) for start, size in zip(tags[273], tags[279])]
        planes.append(np.frombuffer(b"".join(strips), "<u2").reshape(4000, 96).astype(float))
        (at,) = struct.unpack_from("<I", content, at + 2 + 12 * count)
    return planes


SECONDS, MICROMETERS = 0.00117, 0.284


def output_with(page, words):
    return next(output for _, output in blocks_of(page) if words in output)


def test_the_recipe_of_a_trace_is_right():
    calcium, _ = example_samples()
    fluorescence = calcium[:, 80:87].mean(axis=1) - calcium[:, 68:73].mean(axis=1)
    dff = fluorescence / np.percentile(fluorescence, 20) - 1
    expected = f"peak of ΔF/F₀ {dff.max():.2f} at {dff.argmax() * SECONDS:.3f} s\n"
    assert output_with("recipes.md", "peak") == expected


def test_the_recipe_of_a_velocity_is_right(server, here):
    """The example was made with a velocity that is known for each line: scripts/make-sample.mjs."""
    blocks = blocks_of("recipes.md")
    last = next(i for i, (program, _) in enumerate(blocks) if "def velocity" in program)
    show = "print([(float(seconds), float(speed)) for seconds, speed, _ in results])"
    *_, printed = paste([*blocks[: last + 1], (show, "")], server, here)
    found = np.array(eval(printed))
    line = np.arange(4000) + 200  # Its list of places begins 200 lines before the scan.
    true = (1.2 + 0.45 * np.sin(2 * np.pi * 8 * SECONDS * line)) * MICROMETERS / SECONDS
    firsts = np.arange(0, 4000 - 63, 32)
    error = found[:, 1] / [true[first : first + 64].mean() for first in firsts] - 1
    assert np.allclose(found[:, 0], (firsts + 32) * SECONDS)
    assert abs(np.median(error)) < 0.02 and error.std() < 0.06 and np.abs(error).max() < 0.15


def numbers(seed):
    """The numbers of the generator with which the example was made."""
    state = seed
    while True:
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        t = ((state ^ (state >> 15)) * (1 | state)) & 0xFFFFFFFF
        t = ((t + ((t ^ (t >> 7)) * (61 | t))) ^ t) & 0xFFFFFFFF
        yield ((t ^ (t >> 14)) & 0xFFFFFFFF) / 2**32


def test_the_recipe_of_a_diameter_is_right():
    # Each cell takes 17 numbers, the first one for its width; the recipe measures the fourth cell.
    *_, number = (each for each, _ in zip(numbers(20_260_115), range(3 * 17 + 1)))
    true = 2 * math.sqrt(math.log(2)) * (3 + 3 * number) * MICROMETERS
    median, low, high = map(float, re.findall(r"\d+\.\d+", output_with("recipes.md", "diameter")))
    assert abs(median / true - 1) < 0.08 and low < true < high


def programs_of_the_tutorial():
    text = (DOCS / "tutorial.md").read_text("utf-8")
    run_it = r"```\n\n```sh\nvenv/bin/python \1\n```\n\n```text\n(.*?)```"
    return re.findall(r"Save this as `(\w+\.py)`.*?```python\n(.*?)" + run_it, text, re.DOTALL)


def test_the_tutorial_shows_what_its_programs_print(server, here):
    programs = programs_of_the_tutorial()
    assert [name for name, _, _ in programs] == ["look.py", "figure.py"]
    for name, program, output in programs:
        if "matplotlib" in program:
            pytest.importorskip("matplotlib")
        (here / name).write_text(program, "utf-8")
        printed, complaint = run("", server, here, name)
        assert printed == output, complaint
    image = pytest.importorskip("matplotlib.image")
    made, shown = image.imread(here / "figure.png"), image.imread(DOCS / "tutorial-figure.png")
    difference = np.abs(made[..., :3] - shown[..., :3])
    # Other versions of matplotlib and other fonts draw the letters a little differently.
    assert made.shape == shown.shape and difference.mean() < 0.01 and (difference > 0.2).mean() < 0.02


def test_the_tutorial_is_right():
    (_, _, look), (_, _, figure) = programs_of_the_tutorial()
    calcium, _ = example_samples()
    rows = "\n ".join("[" + " ".join(f"{count:2.0f}." for count in row) + "]" for row in calcium[:3, 80:86])
    assert f"[{rows}]\nmean {calcium.mean()}\n" in look
    position = np.arange(96) * MICROMETERS
    trace = calcium[:, (position >= 22) & (position <= 25)].mean(axis=1)
    change = trace / np.percentile(trace, 10) - 1
    assert figure == f"peak: {change.max():.1f} times the baseline, at {change.argmax() * SECONDS:.2f} s\n"
