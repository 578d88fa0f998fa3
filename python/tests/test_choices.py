"""Names, negative indices and slices, wherever numpy users expect them; and what is refused, with a hint."""

import datetime
import pickle

import numpy as np
import pytest

import acquisition_store as acq
from conftest import EXAMPLE, SAMPLES

SCENES = "czi/sebi06+czitools/WellD6-7_S2.czi"


@pytest.fixture(scope="module")
def scenes():
    path = SAMPLES / SCENES
    if not path.exists():
        pytest.skip("the sample files are missing")
    return path


def test_reads_an_image_in_one_call(server, stack):
    whole = np.asarray(stack.array())
    image = acq.imread(stack.path, server=server)
    assert isinstance(image, np.ndarray) and image.dtype == np.uint16 and np.array_equal(image, whole)
    part = acq.imread(stack.path, server=server, channels=["LED470"])
    assert np.array_equal(part, whole[:, 1:])


def test_reads_an_image_when_it_is_computed(server, stack):
    pytest.importorskip("dask")
    whole = np.asarray(stack.array())
    lazy = acq.imread(stack.path, server=server, chunks="auto")
    assert lazy.chunksize == (1, 1, 1, 170, 240) and np.array_equal(lazy[2, -1].compute(), whole[2, -1])
    tall = acq.imread(stack.path, server=server, chunks={0: 3, 2: 5})
    assert tall.chunksize == (3, 1, 5, 170, 240) and np.array_equal(tall.compute(), whole)


def test_counts_from_the_end(stack):
    whole = np.asarray(stack.array())
    assert np.array_equal(stack.plane(-1, t=-1, z=-2), whole[-1, -1, -2])
    assert np.array_equal(stack.window(0, rows=(-20, None), columns=(3, -3), z=-1), whole[0, 0, -1, -20:, 3:-3])
    assert stack.statistics(0, rows=(-20, None))["sum"] == whole[0, 0, 0, -20:].sum()


def test_takes_dimensions_that_the_file_does_not_have(example):
    plane = example.plane("Vessel", t=0, z=-1)
    assert np.array_equal(plane, example.array()[-1, "Vessel", 0])
    with pytest.raises(acq.AcqError) as caught:
        example.plane(0, t=1)
    assert caught.value.status == 422


def test_takes_slices(stack):
    whole = np.asarray(stack.array())
    part = stack.window("LED470", rows=slice(10, 10**6, 2), columns=slice(None, -5), every=(3, 2))
    assert np.array_equal(part, whole[0, 1, 0, 10::6, :-5:2])
    low = stack.overview(0, 10, 10, rows=slice(-100, None), columns=np.s_[:100])[0]
    assert np.array_equal(low, whole[0, 0, 0, -100:, :100].reshape(10, 10, 10, 10).min(axis=(1, 3)))
    trace = stack.traces(0, [{"rows": slice(40, 60), "columns": (-30, -10)}], along="T")
    assert np.allclose(trace[0], whole[:, 0, 0, 40:60, -30:-10].mean(axis=(1, 2)), rtol=1e-6)


def test_takes_names_of_channels(server, stack):
    whole = np.asarray(stack.array())
    assert np.array_equal(stack.array()[1, "LED470", -1], whole[1, 1, -1])
    with acq.open(stack.path, server=server, channels=["LED470", -2]) as a:
        assert a.channels == ["LED470", "LED555"]
        assert np.array_equal(a.array()[0, :, 0], whole[0, ::-1, 0])
        assert np.array_equal(a.array()[0, "LED555"], whole[0, 0])
        assert np.array_equal(a.plane(-1), whole[0, 0, 0])
        assert np.array_equal(a.plane(), whole[0, 1, 0]) and np.array_equal(a.plane(1), whole[0, 0, 0])
    with acq.open(stack.path, server=server, selection={"T": -1, "Z": np.int64(2)}) as a:
        assert np.array_equal(a.plane(0), whole[2, 0, 2])
    for wrong in (lambda: acq.open(stack.path, server=server, channels=["GFP"]), lambda: stack.array()[0, "GFP"]):
        with pytest.raises(acq.ChannelNotFoundError, match="'LED555', 'LED470'"):
            wrong()


def test_takes_channels_in_whatever_has_them(server, stack):
    for channels in (np.array([1, 0]), ("LED470", -2), iter([1, 0]), {"LED470": 1, "LED555": 0}):
        with acq.open(stack.path, server=server, channels=channels) as a:
            assert a.channels == ["LED470", "LED555"]
    for wrong in (1, "LED470", b"LED470"):
        with pytest.raises(acq.InvalidArgumentError, match="expected a list such as"):
            acq.open(stack.path, server=server, channels=wrong)


def test_takes_the_only_scene_of_a_file(server, stack):
    for scene in (0, -1, np.int64(0), stack.scenes[0]):
        with acq.open(stack.path, server=server, scene=scene, selection={"T": -1}) as a:
            assert a.scenes == stack.scenes and a.info["selection"]["T"] == 2
    for scene in (1, -2):
        with pytest.raises(acq.AcqError, match="selection_out_of_range"):
            acq.open(stack.path, server=server, scene=scene)


def test_takes_names_of_scenes(server, scenes):
    planes = [acq.imread(scenes, server=server, scene=index) for index in (0, 1)]
    assert not np.array_equal(*planes)
    for scene in ("D7", -1, np.int64(1)):
        with acq.open(scenes, server=server, scene=scene) as a:
            assert a.info["selection"]["S"] == 1 and np.array_equal(a.array()[...], planes[1])
    with acq.open(scenes, server=server, scene="D7", channels=["AF488"]) as a:
        assert np.array_equal(a.array()[...], planes[1])
    with pytest.raises(acq.AcqError, match="no scene 'D8'. Its scenes are 'D6', 'D7'") as caught:
        acq.open(scenes, server=server, scene="D8")
    assert caught.value.code == "selection_out_of_range"


def test_opens_each_scene(server, scenes, example):
    with acq.open(scenes, server=server, channels=[0]) as a:
        assert a.scenes == ["D6", "D7"]
        opened = []
        for scene in a.open_scenes():
            opened.append((scene, scene.plane("AF488")))
        for index, (scene, plane) in enumerate(opened):
            assert np.array_equal(plane, acq.imread(scenes, server=server, scene=index)[0, 0, 0])
            with pytest.raises(acq.AcqError, match="was closed"):
                scene.plane()
    assert [scene.sizes for scene in example.open_scenes()] == [example.sizes]


def test_has_scenes_as_a_tree(server, scenes):
    xarray = pytest.importorskip("xarray")
    with acq.open(scenes, server=server) as a:
        if not hasattr(xarray, "DataTree"):
            with pytest.raises(acq.AcqError, match="2024.10"):
                a.to_datatree()
            pytest.skip("this xarray has no DataTree")
        tree = a.to_datatree()
        assert list(tree.children) == ["D6", "D7"]
        for index, node in enumerate(tree.children.values()):
            image = node["image"]
            assert image.dims == a.dims and image.attrs["date"].startswith("2023-01-06")
            assert np.array_equal(image.values, acq.imread(scenes, server=server, scene=index))


def test_tells_date_colors_and_voxel_size(stack, example):
    assert stack.date == datetime.datetime(2016, 2, 12, 9, 41, 2, 491560, datetime.timezone.utc)
    assert example.date == datetime.datetime(2026, 1, 15, 10, 30)
    assert stack.colors == ["#FF7E00", "#00FF33"]
    assert stack.voxel_size == (0.32, stack.steps["Y"], stack.steps["X"]) and stack.voxel_size.z == 0.32
    assert example.voxel_size == (None, None, example.steps["X"])


REFUSED = {
    "a plane at half a time": lambda a: a.plane(0, t=0.5),
    "a channel that is a list": lambda a: a.plane([0]),
    "a channel that is True": lambda a: a.plane(True),
    "rows that are a number": lambda a: a.window(0, rows=5),
    "rows of three numbers": lambda a: a.window(0, rows=(1, 2, 3)),
    "rows backwards": lambda a: a.window(0, rows=slice(None, None, -1)),
    "every of one number": lambda a: a.window(0, every=(1,)),
    "a step of statistics": lambda a: a.statistics(0, rows=slice(0, 10, 2)),
    "percentiles in words": lambda a: a.statistics(0, percentiles=["half"]),
    "a percentile that is no number": lambda a: a.statistics(0, percentiles=[float("nan")]),
    "bins in words": lambda a: a.statistics(0, bins="ten"),
    "a point in words": lambda a: a.profile(0, ["ab", (0, 1)]),
    "every of a number": lambda a: a.window(0, every=3),
    "points that are a number": lambda a: a.profile(0, 3),
    "a region that is a number": lambda a: a.traces(0, [3]),
    "regions that are one region": lambda a: a.traces(0, {"columns": (0, 5)}),
    "a selection of pairs": lambda a: acq.open(EXAMPLE, server=a.server, selection=[("T", 1)]),
    "a path that is not UTF-8": lambda a: acq.browse(b"/x\xff", server=a.server),
    "a region in words": lambda a: a.traces(0, [{"columns": "all"}]),
    "channels as one word": lambda a: acq.open(EXAMPLE, server=a.server, channels="Calcium"),
    "a path that is a number": lambda a: acq.open(5, server=a.server),
    "a calibration that is an object": lambda a: acq.open(EXAMPLE, server=a.server, calibration=object()),
    "a step that is not finite": lambda a: acq.open(
        EXAMPLE, server=a.server, calibration={"Y": {"step": float("inf"), "unit": "seconds"}}
    ),
    "an address without a scheme": lambda a: acq.Server("127.0.0.1:8767"),
    "an address with a port of words": lambda a: acq.Server("http://127.0.0.1:web"),
    "an address that is a number": lambda a: acq.Server(8767),
}


@pytest.mark.parametrize("wrong", REFUSED.values(), ids=REFUSED.keys())
def test_refuses_with_a_code_and_what_is_expected(example, wrong):
    with pytest.raises(acq.InvalidArgumentError, match="expected|no step|cannot be") as caught:
        wrong(example)
    assert caught.value.code == "invalid_argument" and isinstance(caught.value, ValueError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


SAYS = [
    (lambda a: a.window(0, every=2), "every is 2; expected (rows, columns)"),
    (lambda a: a.statistics(0, percentiles=50), "percentiles is 50; expected a list such as [50]"),
    (lambda a: a.traces(0, {"columns": (0, 5)}), "expected a list such as [{'columns': (0, 5)}]"),
    (lambda a: acq.open(EXAMPLE, server=a.server, projection="max"), "projection is 'max'; expected a dict"),
    (lambda a: acq.open("", server=a.server), "path is empty"),
    (lambda a: acq.browse("", server=a.server), "path is empty"),
    (lambda a: acq.open("https://lab/scan.tif", server=a.server), "'https://lab/scan.tif', which is an address"),
    (lambda a: acq.open("file:///data/scan.tif", server=a.server), "which is an address; expected the path of a file"),
]


@pytest.mark.parametrize("wrong, message", SAYS, ids=range(len(SAYS)))
def test_says_what_is_expected(example, wrong, message):
    with pytest.raises(acq.InvalidArgumentError) as caught:
        wrong(example)
    assert message in caught.value.message


def test_shows_large_values_on_a_short_line(example):
    with pytest.raises(acq.InvalidArgumentError) as caught:
        example.traces(0, [np.zeros((500, 500), bool)])
    assert "\n" not in caught.value.message and len(caught.value.message) < 300


def test_says_how_to_read_an_array(example):
    array = example.array()
    for name in ("max", "astype", "T"):
        with pytest.raises(AttributeError, match=rf"no attribute '{name}'. It is not read yet: use array\(\)\[...\]"):
            getattr(array, name)
    with pytest.raises(AttributeError, match="no attribute 'maximum'$"):
        array.maximum
    assert not hasattr(array, "__array_interface__") and pickle.loads(pickle.dumps(array)).shape == array.shape
    with pytest.raises(IndexError, match="use integers, names of channels, slices"):
        array[0, ["Calcium"]]


def test_leaves_what_is_outside_to_the_server(stack):
    for wrong in (lambda: stack.plane(0, t=3), lambda: stack.plane(0, t=-4)):
        with pytest.raises(acq.AcqError) as caught:
            wrong()
        assert caught.value.status == 422
    with pytest.raises(acq.ChannelNotFoundError):
        stack.plane(-3)
