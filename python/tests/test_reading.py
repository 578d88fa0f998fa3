import json
import sys

import numpy as np
import pytest

import acquisition_store as acq
from conftest import EXAMPLE

INDICES = [
    np.s_[1],
    np.s_[..., 5],
    np.s_[-1, :, 2:4, ::-1, 3:200:7],
    np.s_[0, 1, 4, 100:10:-3, 7],
    np.s_[:, 0, 0, 5:5],
    np.s_[2, 1, 4, 169, 239],
    np.s_[::2, ::-1, 1::3, -5:, -1:-20:-4],
    np.s_[np.int64(1), ..., 0:1],
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexes_like_numpy(stack, index):
    array = stack.array()
    whole = np.asarray(array)
    assert whole.shape == array.shape == (3, 2, 5, 170, 240) and whole.dtype == array.dtype == np.uint16
    part = array[index]
    assert part.shape == whole[index].shape and np.array_equal(part, whole[index])


@pytest.mark.parametrize(
    "index", [(0,) * 6, (3,), (..., -241), (..., ...), ([0, 1],), (None,), (True,), (1.5,), "a"], ids=str
)
def test_refuses_other_indices(stack, index):
    with pytest.raises(IndexError):
        stack.array()[index]


def test_converts_to_other_types(stack):
    array = stack.array()
    assert np.asarray(array, dtype=np.float64).dtype == np.float64
    assert len(array) == 3 and array.size == 3 * 2 * 5 * 170 * 240 and array.nbytes == 2 * array.size
    assert repr(array) == "<LazyArray T 3, C 2, Z 5, Y 170, X 240; uint16>"


def test_reads_planes(stack):
    whole = np.asarray(stack.array())
    plane = stack.plane("LED470")
    assert plane.dtype == np.float32 and np.array_equal(plane, whole[0, 1, 0])
    assert np.array_equal(stack.plane(1, t=2, z=3), whole[2, 1, 3])
    plane[:] = 0  # The caller's own memory.


def test_opens_a_projection(server, stack):
    whole = np.asarray(stack.array())
    with acq.open(stack.path, server=server, projection={"Z": "max"}) as a:
        assert np.array_equal(a.plane(1, t=1), whole[1, 1].max(axis=0))
        array = a.array()
        assert array.shape == (3, 2, 1, 170, 240) and array.dtype == np.float32
        assert np.array_equal(array[2, 0, 0], whole[2, 0].max(axis=0))


def test_opens_a_selection(server, stack):
    with acq.open(stack.path, server=server, selection={"T": 2, "Z": 4}) as a:
        assert np.array_equal(a.plane(0), np.asarray(stack.array())[2, 0, 4])


def test_has_the_numbers_of_numpy(example):
    plane = example.plane("Calcium").astype(np.float64)
    part = plane[100:3000, 3:90]
    assert np.array_equal(example.window("Calcium", (100, 3000), (3, 90), every=(7, 2)), part[::7, ::2])
    told = example.statistics("Calcium", rows=(100, 3000), columns=(3, 90), percentiles=[0.5, 50, 99.9], bins=16)
    assert [entry["value"] for entry in told["percentiles"]] == np.percentile(part, [0.5, 50, 99.9]).tolist()
    assert told["min"] == part.min() and told["max"] == part.max() and told["mean"] == pytest.approx(part.mean(), 1e-12)
    assert told["histogram"]["counts"] == np.histogram(part, 16)[0].tolist()
    low, high, mean = example.overview("Calcium", 100, 5000)
    assert np.array_equal(low, plane.reshape(100, 40, 96).min(axis=1)) and low.shape == mean.shape == (100, 96)
    assert np.array_equal(high, plane.reshape(100, 40, 96).max(axis=1))
    traces = example.traces("Calcium", [{"columns": (10, 20)}, {}], every=4)
    assert traces.shape == (2, 1000)
    assert np.allclose(traces[0], plane[:, 10:20].reshape(1000, 40).mean(axis=1), rtol=1e-6)
    profile = example.profile("Calcium", [(10, 0), (10, 95), (12, 95)])
    assert np.allclose(profile["values"][:96], plane[10], rtol=0, atol=1e-9) and profile["unit"] is None
    assert np.isnan(example.profile(0, [(0, 0), (-2, 0)])["values"][-1])


def test_follows_a_region_in_time(stack):
    whole = np.asarray(stack.array()).astype(np.float64)
    trace = stack.traces(0, [{"rows": (40, 60), "columns": (10, 30)}], along="T", z=2)
    assert np.allclose(trace[0], whole[:, 0, 2, 40:60, 10:30].mean(axis=(1, 2)), rtol=1e-6)


def test_reads_as_dask(stack):
    pytest.importorskip("dask")
    whole = np.asarray(stack.array())
    array = stack.to_dask()
    assert array.dtype == np.uint16 and array.chunksize == (1, 1, 1, 170, 240)
    assert np.array_equal(array[1:, :, [0, 3]].compute(scheduler="threads"), whole[1:, :, [0, 3]])
    assert int(array.sum().compute()) == whole.sum()


def test_reads_as_xarray(stack, example):
    pytest.importorskip("xarray")
    pytest.importorskip("dask")
    data = stack.to_xarray()
    assert data.dims == ("T", "C", "Z", "Y", "X") and data.dtype == np.uint16
    assert float(data["Z"][2]) == pytest.approx(0.64) and data["Z"].attrs["units"] == "micrometer"
    assert np.array_equal(data.sel(C="LED470").isel(T=1, Z=2).values, stack.array()[1, 1, 2])
    lines = example.to_xarray()
    assert lines["Y"].attrs["units"] == "seconds" and float(lines["Y"][1000]) == pytest.approx(1.17)
    assert "Z" not in lines.coords and list(lines["C"].values) == ["Calcium", "Vessel"]


def test_reads_as_zarr(stack):
    pytest.importorskip("zarr")
    whole = np.asarray(stack.array())
    group = stack.zarr()
    assert np.array_equal(group["0"][...], whole) and np.array_equal(group["0"][1, :, 2], whole[1, :, 2])
    attributes = dict(group.attrs)
    scale = attributes.get("ome", attributes)["multiscales"][0]["datasets"][0]["coordinateTransformations"][0]["scale"]
    assert scale[2] == pytest.approx(0.32)
    with pytest.raises(Exception):
        group["0"][0] = 1


def test_zarr_never_makes_zeros_of_errors(server, stack):
    pytest.importorskip("zarr")
    with acq.open(stack.path, server=server) as a:
        array = a.zarr()["0"]
    with pytest.raises(acq.AcqError, match="was closed"):
        array[0]


def test_imports_nothing_but_numpy(tmp_path):
    import subprocess

    code = "import sys, json, acquisition_store; print(json.dumps([n for n in ('dask','xarray','zarr','napari') if n in sys.modules]))"
    assert json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout) == []


def test_slices_transfer_only_what_they_need(server, relay, stack):
    counted = relay()
    through = acq.Server(counted.url)
    with acq.open(EXAMPLE, server=through) as a, acq.open(stack.path, server=through) as b:
        for array, index, requests in [
            (a.array(), np.s_[0, 0, 0, :, 40:44], 1),
            (a.array(), np.s_[0, 1, 0, 100:4000:100], 1),
            (b.array(), np.s_[1, 0, :, 20:30, 100:200], 5),
            (b.array(), np.s_[..., 3, 5], 30),
        ]:
            before = counted.received
            nbytes = array[index].nbytes
            transferred = counted.received - before
            assert nbytes <= transferred <= nbytes + 1200 * requests
        before = counted.received
        a.array(), a.sizes, a.units, repr(a)
        assert counted.received == before
    assert counted.connections <= 3  # One of this thread, one for each close.
