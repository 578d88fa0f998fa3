"""Files of tifffile and zarr, opened at every moment of their writing: each plane is as written, or an error."""

import io

import numpy as np
import pytest

import acquisition_store as acq

tifffile = pytest.importorskip("tifffile")
zarr = pytest.importorskip("zarr", minversion="3")

COUNT, ROWS, COLUMNS = 6, 16, 12


def frame(index):
    samples = np.arange(ROWS * COLUMNS) * 7 + index * 1013
    return (samples % 65521).astype("uint16").reshape(ROWS, COLUMNS)


class Log(io.BytesIO):
    """A file that remembers how it was written."""

    def __init__(self):
        super().__init__()
        self.writes = []

    def write(self, data):
        self.writes.append((self.tell(), bytes(data)))
        return super().write(data)

    def states(self):
        """Yields what the file was after each write, and in the middle of it."""
        content = b""
        for at, data in self.writes:
            before = content.ljust(at, b"\0")
            for part in (data[: len(data) // 2], data):
                content = before[:at] + part + before[at + len(part) :]
                yield content


def in_one_go(count, **options):
    log = Log()
    begin = {name: options.pop(name) for name in ("bigtiff", "ome", "imagej") if name in options}
    with tifffile.TiffWriter(log, **begin) as writer:
        for index in range(count):
            writer.write(frame(index), **options)
    return log


def appended(count, **options):
    log = Log()
    for index in range(count):
        log.seek(0)
        begin = {"append": True} if index else options
        with tifffile.TiffWriter(log, **begin) as writer:
            writer.write(frame(index), metadata=None)
    return log


def iterated(count, **options):
    log = Log()
    frames = (frame(index) for index in range(count))
    tifffile.imwrite(log, frames, shape=(count, ROWS, COLUMNS), dtype="uint16", metadata={"axes": "TYX"}, **options)
    return log


def scanimage(count):
    log = Log()
    settings = (
        "SI.VERSION_MAJOR = 2020\nSI.hStackManager.numSlices = 1\nSI.hChannels.channelSave = 1\n"
        "SI.hScan2D.logFramesPerSlice = 1\nSI.hRoiManager.scanFrameRate = 30"
    )
    with tifffile.TiffWriter(log, bigtiff=True) as writer:
        for n in range(1, count + 1):
            text = f"frameNumbers = {n}\nframeNumberAcquisition = {n}\nframeTimestamps_sec = {n / 30:.6f}"
            writer.write(frame(n - 1), contiguous=False, metadata=None, software=settings, description=text)
    return log


TIFFS = {
    "pages": lambda: in_one_go(COUNT, contiguous=False, metadata=None),
    "arrays": lambda: in_one_go(COUNT, contiguous=False),
    "contiguous": lambda: in_one_go(COUNT, contiguous=True),
    "BigTIFF": lambda: in_one_go(COUNT, contiguous=True, bigtiff=True),
    "zlib": lambda: in_one_go(COUNT, contiguous=False, metadata=None, compression="zlib"),
    "tiles": lambda: in_one_go(COUNT, contiguous=False, metadata=None, tile=(16, 16)),
    "append": lambda: appended(COUNT),
    "append to BigTIFF": lambda: appended(COUNT, bigtiff=True),
    "OME-TIFF": lambda: iterated(COUNT, ome=True),
    "OME-TIFF, zlib": lambda: iterated(COUNT, ome=True, compression="zlib"),
    "ImageJ": lambda: iterated(COUNT, imagej=True),
    "ScanImage": lambda: scanimage(COUNT),
}


def planes_of(a):
    axis = max("TZ", key=lambda name: a.sizes[name])
    return [a.plane(0, **{axis.lower(): index}) for index in range(a.sizes[axis])]


@pytest.mark.parametrize("kind", TIFFS)
def test_a_tiff_shows_what_is_whole(server, tmp_path, kind):
    path = tmp_path / ("file.ome.tif" if kind.startswith("OME") else "file.tif")
    counts = []
    for content in TIFFS[kind]().states():
        path.write_bytes(content)
        try:
            with acq.open(path, server=server) as a:
                planes = planes_of(a)
        except acq.AcqError as error:
            # Only before the first page is whole.
            assert not counts, (len(content), str(error))
            assert error.code in ("unsupported_format", "decode_failed")
            continue
        for index, plane in enumerate(planes):
            np.testing.assert_array_equal(plane, frame(index))
        counts.append(len(planes))
    assert counts[-1] == (1 if kind == "arrays" else COUNT)
    assert kind == "arrays" or counts == sorted(counts)


@pytest.mark.parametrize("options", [{"zarr_format": 2}, {"zarr_format": 3}, {"zarr_format": 3, "shards": (1, 16, 12)}])
def test_an_ome_zarr_shows_what_is_stored(server, tmp_path, options):
    path = tmp_path / "grows.ome.zarr"
    version = options.pop("zarr_format")
    axes = [{"name": "t", "type": "time"}, {"name": "y", "type": "space"}, {"name": "x", "type": "space"}]
    scale = [{"type": "scale", "scale": [1, 1, 1]}]
    image = {"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": scale}]}
    group = zarr.open_group(path, mode="w", zarr_format=version)
    group.attrs.update(
        {"multiscales": [{"version": "0.4", **image}]}
        if version == 2
        else {"ome": {"version": "0.5", "multiscales": [image]}}
    )
    array = group.create_array("0", shape=(1, ROWS, COLUMNS), chunks=(1, 8, 6), dtype="uint16", **options)
    array[0] = frame(0) + 1
    followed = acq.open(path, server=server).follow()
    opened = next(followed)
    for count in range(2, COUNT + 1):
        array.resize((count, ROWS, COLUMNS))
        # Another session sees the time point before it is stored, and stays open.
        early = acq.open(path, server=server)
        assert not early.plane(0, t=count - 1).any()
        assert "Nothing is stored" in " ".join(early.warnings)
        array[count - 1] = frame(count - 1) + 1
        while opened.sizes.get("T", 1) < count or opened.warnings:
            opened = next(followed)
        for index in range(count):
            np.testing.assert_array_equal(opened.plane(0, t=index), frame(index) + 1)
        early.close()
    followed.close()
