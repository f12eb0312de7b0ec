"""What is taken and what is refused: array-likes of any kind, exceptions by kind, messages that help."""

import lissom
import numpy as np
import pytest
from conftest import BVH
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays


def test_any_array_like_of_numbers_is_taken(clip):
    expected = clip.sample(np.array([0.0, 1.0, 2.0]))
    spread = np.zeros((7, 3))
    spread[::3, 1] = [0, 1, 2]
    for times in ([0, 1, 2], (0.0, 1, 2), range(3), np.arange(3, dtype=np.uint8), np.arange(3, dtype=">f4"),
                  np.arange(3, dtype=np.float16), np.array([2, 1, 0])[::-1], spread[::3, 1]):
        np.testing.assert_array_equal(clip.sample(times), expected)


class Tensor:
    """What DLPack asks for, and nothing of numpy's."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **more):
        return self.array.__dlpack__(**more)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_arrays_go_in_and_out_by_dlpack(clip):
    times = np.array([0.0, 0.5, 1.0])
    poses = clip.sample(Tensor(times))
    np.testing.assert_array_equal(poses, clip.sample(times))
    for array in (poses, clip.sample(times, space="model"), clip.positions()):
        shared = np.from_dlpack(Tensor(array))
        assert np.shares_memory(shared, array)
        np.testing.assert_array_equal(shared, array)


def test_arrays_of_any_stride_become_the_same_clip(body):
    rotations = np.random.default_rng(5).normal(size=(6, 4, 4))
    expected = lissom.Clip.from_arrays(body, rotations).sample(np.arange(6) / 30)
    padded = np.zeros((12, 4, 8))
    padded[::2, :, ::2] = rotations
    for same in (np.asfortranarray(rotations), padded[::2, :, ::2], rotations[::-1].copy()[::-1], rotations.tolist(),
                 rotations.astype(">f8")):
        np.testing.assert_array_equal(lissom.Clip.from_arrays(body, same).sample(np.arange(6) / 30), expected)


def test_integers_are_numbers(body):
    rotations = np.tile([0, 0, 0, 2], (3, 4, 1))
    clip = lissom.Clip.from_arrays(body, rotations, np.ones((3, 4, 3), dtype=np.int8), rate=1)
    np.testing.assert_array_equal(clip.sample(1)[:, :7], np.tile([1, 1, 1, 0, 0, 0, 1], (4, 1)))


@pytest.mark.parametrize("length", [1e-300, 1e-7, 1e7, 1e300])
def test_rotations_may_have_any_length(body, length):
    rotations = np.tile([0, 0.6, 0, 0.8], (3, 4, 1))
    clip = lissom.Clip.from_arrays(body, rotations * length)
    np.testing.assert_allclose(clip.sample(0)[:, 3:7], rotations[0], rtol=0, atol=1e-12)


def test_what_is_passed_in_may_be_changed_afterwards(body):
    rotations = np.tile([0, 0, 0, 1.0], (3, 4, 1))
    clip = lissom.Clip.from_arrays(body, rotations)
    before = clip.sample(0)
    rotations[:] = np.nan
    np.testing.assert_array_equal(clip.sample(0), before)


def test_empty_times_give_empty_arrays(clip):
    for played in (clip, lissom.cook(clip).clips[0]):
        assert played.sample([]).shape == (0, 4, 10)
        assert played.sample(np.empty(0, dtype=int), space="model").shape == (0, 4, 4, 4)


def test_one_number_gives_one_pose(clip):
    assert clip.sample(0.5).shape == (4, 10)
    assert clip.sample(np.float32(0.5), space="model").shape == (4, 4, 4)


def test_arrays_outlive_what_they_came_from(body):
    clip = lissom.Clip.from_arrays(body, np.tile([0, 0, 0, 1.0], (100, 4, 1)))
    poses = clip.sample(clip.times())
    kept = poses.copy()
    del clip
    assert poses.flags.writeable and poses.flags.c_contiguous
    np.testing.assert_array_equal(poses, kept)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.sample([0, np.nan]), r"times: found NaN at \(1,\), expected finite numbers"),
        (lambda c: c.sample([np.inf]), r"times: found inf at \(0,\), expected finite numbers"),
        (lambda c: c.sample([[0, 1]]), r"times: found the shape \(1, 2\), expected a number or one dimension"),
        (lambda c: c.sample(["a"]), r"times: found an array of dtype <U1, expected integers or floats"),
        (lambda c: c.sample([1j]), r"times: found an array of dtype complex128, expected"),
        (lambda c: c.sample([True]), r"times: found an array of dtype bool, expected"),
        (lambda c: c.sample([[0], [1, 2]]), r"times: found .*, expected an array of numbers"),
        (lambda c: c.sample(None), r"times: found an array of dtype object, expected"),
        (lambda c: c.sample(0, space="world"), r'space: found "world", expected "local" or "model"'),
        (lambda c: c.sample(0, order="file"), r'order: found "file", expected "built" or "raw"'),
        (lambda c: c.sample(0, space="model", matrices=False), r"matrices: found False"),
        (lambda c: c.positions(0), r"rate: found 0, expected frames per second"),
        (lambda c: c.positions(float("nan")), r"rate: found NaN, expected"),
        (lambda c: c.positions(1e300), r"rate: found .*, expected at most"),
        (lambda c: lissom.cook(c, precision=-1), r"precision: found -1, expected metres"),
        (lambda c: lissom.cook(c, effort="much"), r'effort: found "much", expected'),
        (lambda c: lissom.cook([]), r"source: found an empty list, expected at least one clip"),
        (lambda c: lissom.cook(lissom.cook(c).clips), r'source: found the cooked clip "wander", expected'),
        (lambda c: lissom.Clip.from_arrays(c.skeleton, np.zeros((2, 3, 4))), r"rotations: found the shape \(2, 3, 4\), expected \(frames, 4, 4\)"),
        (lambda c: lissom.Clip.from_arrays(c.skeleton, np.zeros((0, 4, 4))), r"rotations: found the shape \(0, 4, 4\), expected .* at least one frame"),
        (lambda c: lissom.Clip.from_arrays(c.skeleton, np.ones((2, 4, 4)), np.ones((3, 4, 3))), r"translations: found the shape \(3, 4, 3\), expected \(2, 4, 3\)"),
        (lambda c: lissom.Clip.from_arrays(c.skeleton, np.zeros((2, 4, 4))), r"a quaternion of length 0 is no rotation"),
        (lambda c: lissom.Clip.from_arrays(c.skeleton, np.full((2, 4, 4), np.nan)), r"rotations: found NaN at \(0, 0, 0\)"),
        (lambda c: lissom.Clip.from_arrays(c.skeleton, np.ones((2, 4, 4)), np.full((2, 4, 3), 1e300)), r"not finite"),
        (lambda c: lissom.Skeleton(["a"], [0], [[0, 0, 0]]), r"is its own ancestor"),
        (lambda c: lissom.Skeleton(["a"], [-2], [[0, 0, 0]]), r"parents: found -2 at \(0,\), expected -1"),
        (lambda c: lissom.Skeleton(["a"], [], [[0, 0, 0]]), r"parents: found 0 entries, expected 1"),
        (lambda c: lissom.Skeleton([], [], np.zeros((0, 3))), r"at least one joint"),
    ],
)
def test_a_wrong_argument_is_named_with_what_was_found_and_expected(clip, call, message):
    with pytest.raises(ValueError, match=message):
        call(clip)


def test_exceptions_are_by_kind(tmp_path, bvh):
    with pytest.raises(FileNotFoundError) as told:
        lissom.open(tmp_path / "nothing.glb")
    assert told.value.filename == str(tmp_path / "nothing.glb")
    with pytest.raises(IsADirectoryError):
        lissom.open(tmp_path)
    with pytest.raises(lissom.FormatError, match="byte 0"):
        lissom.open(b"something else")
    with pytest.raises(lissom.FormatError, match='line 28: "x" is not a finite number'):
        lissom.open(BVH.replace("Frame Time: 0.25", "Frame Time: x").encode())
    with pytest.raises(lissom.FormatError):
        lissom.open(b"")
    with pytest.raises(TypeError, match="path_or_bytes: found .*, expected a path or bytes"):
        lissom.open(7)
    with pytest.raises(FileNotFoundError):
        bvh.save(tmp_path / "no" / "folder.lsm")
    with pytest.raises(KeyError, match="there are 1"):
        bvh["wlk"]
    with pytest.raises(IndexError, match="clip 1: there are 1"):
        bvh[1]
    assert issubclass(lissom.FormatError, ValueError)
    assert not list(tmp_path.iterdir())


def test_bytes_of_any_kind_are_a_file(bvh):
    for data in (BVH.encode(), bytearray(BVH.encode()), memoryview(BVH.encode()), np.frombuffer(BVH.encode(), np.uint8)):
        assert len(lissom.open(data)) == 1


@settings(max_examples=150, deadline=None)
@given(
    times=arrays.arrays(
        dtype=st.sampled_from([np.int8, np.uint16, np.int64, np.float16, np.float32, np.float64, np.dtype(">f8")]),
        shape=arrays.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=9),
    ),
    step=st.integers(1, 3),
)
def test_every_array_gives_poses_or_a_value_error(times, step):
    body = lissom.Skeleton(["a", "b"], [-1, 0], [[0, 0, 0], [0, 1, 0]])
    clip = lissom.Clip.from_arrays(body, np.tile([0, 0, 0, 1.0], (3, 2, 1)))
    if times.ndim:
        times = times[::step]
    if times.ndim > 1 or not np.isfinite(times).all():
        with pytest.raises(ValueError, match="times: found"):
            clip.sample(times)
    else:
        assert clip.sample(times).shape == (*times.shape, 2, 10)
        assert np.isfinite(clip.sample(times, space="model")).all()


KINDS = st.sampled_from([np.int8, np.uint16, np.int64, np.float16, np.float32, np.float64, np.dtype(">f8"), np.bool_, np.complex64, np.dtype("U3")])


def like(width):
    """Arrays, most of them of a shape that may be right, with every kind of stride."""
    right = st.tuples(st.integers(0, 4), st.just(2), st.just(width))
    shapes = st.one_of(right, right, arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    made = arrays.arrays(dtype=KINDS, shape=shapes)
    turned = made.map(lambda a: np.asfortranarray(a)[..., ::-1] if a.ndim else a)
    spread = made.map(lambda a: np.repeat(a, 2, axis=0)[::2] if a.ndim else a)
    return st.one_of(made, turned, spread)


@settings(max_examples=400, deadline=None)
@given(rotations=like(4), translations=st.one_of(st.none(), like(3)))
def test_every_array_becomes_a_clip_or_is_refused_with_its_name(rotations, translations):
    body = lissom.Skeleton(["a", "b"], [-1, 0], [[0, 0, 0], [0, 1, 0]])
    try:
        clip = lissom.Clip.from_arrays(body, rotations, translations)
    except ValueError as error:
        told = str(error)
        assert "found" in told and "expected" in told or "not finite" in told or "no rotation" in told
        return
    assert rotations.dtype.kind in "iuf" and rotations.shape[1:] == (2, 4) and len(rotations) > 0
    assert np.isfinite(rotations).all() and rotations.any(axis=-1).all()
    poses = clip.sample(np.arange(len(rotations)) / 30)
    assert poses.shape == (len(rotations), 2, 10) and np.isfinite(poses).all()
    np.testing.assert_allclose(np.linalg.norm(poses[..., 3:7], axis=-1), 1, rtol=0, atol=1e-12)
    if translations is not None:
        np.testing.assert_allclose(poses[..., :3], translations.astype(float), rtol=1e-12, atol=1e-300)
