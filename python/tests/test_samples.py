"""Every sample file, against what independent readers read from it."""

import hashlib

import numpy as np
import pytest

import acquisition_store as acq
from conftest import SAMPLES, expected_files, expected_zarr

FEW = [
    "oib/cgohlke+oiffile/test.oib",
    "czi/sebi06+czitools/WellD6-7_S2.czi",
    "lsm/jefferislab+jimpipeline/test.lsm",
    "nd2/soft-matter+pims/cluster.nd2",
    "tiff-olympus-kymograph/mapmanager+kymflow/Capillary1_0001.tif",
]
EXPECTED = expected_files()

# The independent reader has read one file of a set, or another number of planes; ours are the whole acquisition.
OTHER_DIMENSIONS = (
    "bruker/swharden+ROI-Analysis-Pipeline/LineScan-06092017-1414-623/",
    "bruker/swharden+ScanAGator/LineScan-08092022-1225-528/",
    "czi/sebi06+czitools/LSM880_AiryScan.czi",
    "lif/Arcadia-Science+readlif/xz-example/xz-example.lif",
    "tiff-ome/ome+bioformats/",
    "tiff-ome/hms-dbmi+viv/data/multifile-",
)


class OtherDimensionsError(Exception):
    """The independent reader lists other dimensions."""


def in_order_of(image, array):
    """Returns an array T, C, Z, Y, X in the dimensions of an independent reader.

    T, C, Z and S (interleaved channels) map by their letters, others to the dimension of that size. A dimension of
    ours may be several of theirs.
    """
    shape = image["shape"]
    axes = image["axes"] if len(image["axes"]) == len(shape) else image["axes"] + "YX"
    sizes = dict(zip("TCZ", array.shape))
    dims = list(zip(axes, shape))
    if "I" in axes and sum(n > 1 for n in sizes.values()) > 1 and dict(dims)["I"] == np.prod(array.shape[:3]):
        at = axes.index("I")
        dims[at : at + 1] = [("T", sizes["T"]), ("Z", sizes["Z"]), ("C", sizes["C"])]
    # Rows and columns are last, apart from interleaved channels.
    end = len(dims) - (dims[-1][0] == "S")
    ours = []
    for at, (letter, size) in enumerate(dims):
        if end - 2 <= at < end:
            ours.append("YX"[at - end + 2])
        elif letter in "TCZ":
            ours.append(letter)
        elif letter in "SH":
            ours.append("C")
        else:
            ours.append("Z" if sizes["Z"] == size else "T" if sizes["T"] == size else "C")
    split = []
    for dim, size in zip("TCZYX", array.shape):
        parts = [(i, dims[i][1]) for i, name in enumerate(ours) if name == dim] or [(None, 1)]
        if np.prod([n for _, n in parts]) != size:
            raise OtherDimensionsError(f"{dim} has {size} entries; expected {parts}")
        split.extend(parts)
    order = [i for i, _ in split]
    reshaped = array.reshape([n for _, n in split])
    absent = tuple(at for at, i in enumerate(order) if i is None)
    present = [i for i in order if i is not None]
    return reshaped.squeeze(absent).transpose(np.argsort(present)).reshape(shape)


def check_file(server, path):
    """Compares every image of a file; returns how many there are."""
    count = 0
    for scene, image in enumerate(EXPECTED[path].get("images", [])):
        if "error" in image:
            continue
        # Independent readers also list previews.
        with acq.open(SAMPLES / path, server=server) as first:
            if scene >= len(first.scenes):
                break
        with acq.open(SAMPLES / path, server=server, scene=scene if len(first.scenes) > 1 else None) as a:
            array = in_order_of(image, np.asarray(a.array()))
            # float16 is read as float32.
            array = array.astype(np.dtype(image["dtype"]).newbyteorder("<"), copy=False)
            if "sha256_le_c" in image:
                assert hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest() == image["sha256_le_c"], path
            assert (array.min(), array.max()) == (image["min"], image["max"]), path
            assert np.array_equal(a.plane(), a.array()[0, 0, 0].astype(np.float32), equal_nan=True), path
        count += 1
    return count


@pytest.mark.skipif(not EXPECTED, reason="the sample files are missing")
@pytest.mark.parametrize("path", FEW)
def test_has_the_samples_that_an_independent_reader_reads(server, path):
    assert check_file(server, path) > 0


@pytest.mark.slow
@pytest.mark.skipif(not EXPECTED, reason="the sample files are missing")
@pytest.mark.parametrize("folder", sorted({path.split("/")[0] for path in EXPECTED}))
def test_every_file_has_the_samples_that_its_reader_reads(server, folder):
    paths = [path for path in EXPECTED if path.startswith(folder + "/") and EXPECTED[path].get("images")]
    if not paths:
        pytest.skip(f"EXPECTED.json has no images of {folder}")
    checked, others, faults = 0, [], []
    for path in paths:
        try:
            checked += check_file(server, path)
        except acq.AcqError as error:
            # Variants that are not supported are refused.
            if error.code != "unsupported_format":
                faults.append(f"{path}: {error}")
        except OtherDimensionsError:
            others.append(path)
        except (AssertionError, KeyError, ValueError) as error:
            faults.append(f"{path}: {type(error).__name__} {error}")
    print(f"\n{folder}: {checked} images, {len(others)} files with other dimensions")
    assert faults == [] and checked > 0
    assert all(path.startswith(OTHER_DIMENSIONS) for path in others), others


@pytest.mark.slow
@pytest.mark.skipif(not expected_zarr(), reason="the sample files are missing")
def test_every_ome_zarr_has_the_samples_of_its_largest_array(server):
    checked, faults = [], []
    for path, entries in expected_zarr().items():
        arrays = [entry for entry in entries if "sha256_le_c" in entry]
        if not arrays or not (SAMPLES / path).exists():
            continue
        largest = max(arrays, key=lambda entry: np.prod(entry["shape"]))
        try:
            with acq.open(SAMPLES / path, server=server) as a:
                if len(a.scenes) > 1 or np.prod(a.array().shape) != np.prod(largest["shape"]):
                    continue
                array = np.asarray(a.array()).astype(np.dtype(largest["dtype"]).newbyteorder("<"), copy=False)
        except acq.AcqError as error:
            # Variants that are not supported are refused.
            if error.code != "unsupported_format":
                faults.append(f"{path}: {error}")
            continue
        squeezed = array.squeeze()
        if squeezed.shape != tuple(n for n in largest["shape"] if n > 1):
            # Its channels are last.
            squeezed = np.moveaxis(squeezed, 0, -1)
        digest = hashlib.sha256(np.ascontiguousarray(squeezed).tobytes()).hexdigest()
        if not digest.startswith(largest["sha256_le_c"]):
            faults.append(f"{path}: {array.shape} for {largest['shape']}")
        checked.append(path)
    print(f"\nome-zarr: {len(checked)} arrays")
    assert faults == [] and len(checked) >= 5, checked
