"""Builds the recipe for conda with rattler-build: build_conda.py RECIPE NODE FOLDER

The channel has the Python and the Node of this computer, in place of those of conda-forge. Prints what was built as JSON.
"""

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

recipe, node, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
# What is unpacked must not be found by another run, whose packages have the same names.
os.environ["RATTLER_CACHE_DIR"] = str(folder / "cache")

from rattler_build import Package, Stage0Recipe, ToolConfiguration, assemble_package  # noqa: E402

PLATFORM = "linux-64" if os.uname().machine == "x86_64" else "linux-aarch64"
PYTHON = f"python{sys.version_info[0]}.{sys.version_info[1]}"
SITE = Path("lib", PYTHON, "site-packages")
channel = folder / "channel"
index = {}


def add(name: str, number: str, files: Path, depends: list[str]) -> None:
    """Adds a package with the files of a folder to the channel."""
    made = assemble_package(
        name, number, PLATFORM, "0", channel / PLATFORM, files_dir=files, depends=depends, compression_level=1,
        detect_prefix=False,
    )
    content = made.path.read_bytes()
    index[made.path.name] = {
        "name": name, "version": number, "build": "0", "build_number": 0, "depends": depends, "subdir": PLATFORM,
        "sha256": sha256(content).hexdigest(), "size": len(content),
    }


def copy_python(files: Path) -> None:
    """Copies the interpreter with its library, which it finds beside itself."""
    base = Path(sys.base_prefix)
    unused = shutil.ignore_patterns("__pycache__", "site-packages", "dist-packages", "test", "tests", "idlelib", "config-*")
    shutil.copytree(base / "lib" / PYTHON, files / "lib" / PYTHON, ignore=unused)
    for library in (base / "lib").glob("libpython*.so*"):
        shutil.copy(library, files / "lib")
    (files / "bin").mkdir()
    shutil.copy(os.path.realpath(sys.executable), files / "bin" / PYTHON)
    for name in ("python", "python3"):
        (files / "bin" / name).symlink_to(PYTHON)


def copy_packages(files: Path, prefixes: tuple[str, ...]) -> None:
    """Copies packages that are installed in this environment."""
    for entry in (Path(sys.prefix) / SITE).iterdir():
        if not entry.name.startswith(prefixes):
            continue
        if entry.is_dir():
            shutil.copytree(entry, files / SITE / entry.name, ignore=shutil.ignore_patterns("__pycache__", "tests"))
        else:
            (files / SITE).mkdir(parents=True, exist_ok=True)
            shutil.copy(entry, files / SITE)


def make_channel() -> None:
    stage = folder / "stage"
    copy_python(stage / "python")
    add("python", sys.version.split()[0], stage / "python", [])
    backend = ("hatchling", "packaging", "pathspec", "pluggy", "trove_classifiers")
    for name, prefixes in {"numpy": ("numpy",), "pip": ("pip",), "hatchling": backend}.items():
        copy_packages(stage / name, prefixes)
        add(name, version(name), stage / name, ["python"])
    (stage / "nodejs" / "bin").mkdir(parents=True)
    shutil.copy(node, stage / "nodejs" / "bin" / "node")
    told = subprocess.run([node, "--version"], check=True, capture_output=True, text=True).stdout
    add("nodejs", told.strip().lstrip("v"), stage / "nodejs", [])
    for platform, packages in ((PLATFORM, index), ("noarch", {})):
        (channel / platform).mkdir(parents=True, exist_ok=True)
        data = {"info": {"subdir": platform}, "packages": {}, "packages.conda": packages, "repodata_version": 1}
        (channel / platform / "repodata.json").write_text(json.dumps(data))
    shutil.rmtree(stage)


make_channel()
# Without its tests: they are run below, for what they print.
Stage0Recipe.from_file(recipe).run_build(
    tool_config=ToolConfiguration(test_strategy="skip", use_sharded=False),
    channels=[channel.as_uri()],
    output_dir=folder / "out",
)
channels = [channel.as_uri(), (folder / "out").as_uri()]
built = [Package.from_file(path) for path in sorted((folder / "out" / "noarch").glob("*.conda"))]
print(json.dumps([
    {
        **{key: getattr(one, key) for key in ("name", "version", "noarch", "depends", "constrains", "files", "license")},
        "tests": [{"success": test.success, "output": "\n".join(test.output)} for test in one.run_tests(channel=channels)],
    }
    for one in built
]))
