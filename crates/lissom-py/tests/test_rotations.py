"""Rotations in other forms: against matrices that are made here, axis by axis, and back again."""

import lissom
import numpy as np
import pytest
from lissom import rotations


def axis_matrix(axis, radians):
    c, s = np.cos(radians), np.sin(radians)
    one, other = {"X": (1, 2), "Y": (2, 0), "Z": (0, 1)}[axis]
    m = np.eye(3)
    m[one, one] = m[other, other] = c
    m[other, one], m[one, other] = s, -s
    return m


def some(count=200):
    q = np.random.default_rng(5).normal(size=(count, 4))
    # The odd ones: nothing, half turns, nearly nothing.
    odd = [[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1e-13, 0, 0, 1], [0, 0, 0, -1], [1, 1, 0, 0]]
    return np.concatenate([q, odd])


def same(a, b, atol=1e-9):
    """As rotations: q and -q are one."""
    a, b = a / np.linalg.norm(a, axis=-1, keepdims=True), b / np.linalg.norm(b, axis=-1, keepdims=True)
    return np.abs(np.abs((a * b).sum(-1)) - 1).max() < atol


def test_every_form_leads_back():
    q = some()
    for there, back in [
        (rotations.to_matrix, rotations.from_matrix),
        (rotations.to_6d, rotations.from_6d),
        (rotations.to_axis_angle, rotations.from_axis_angle),
    ]:
        assert same(back(there(q)), q), there.__name__
    for order in ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]:
        assert same(rotations.from_euler(rotations.to_euler(q, order), order), q), order
        radians = rotations.to_euler(q, order, degrees=False)
        np.testing.assert_allclose(np.degrees(radians), rotations.to_euler(q, order), atol=1e-12)


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_angles_are_those_of_matrices_in_the_same_order(order):
    rng = np.random.default_rng(2)
    angles = rng.uniform([-180, -89, -180], [180, 89, 180], size=(100, 3))
    for three in [*angles, [30, 90, 0], [-70, -90, 0], [0, 0, 0]]:
        turns = [axis_matrix(axis, np.radians(angle)) for axis, angle in zip(order, three, strict=True)]
        expected = turns[0] @ turns[1] @ turns[2]
        np.testing.assert_allclose(rotations.to_matrix(rotations.from_euler(three, order)), expected, atol=1e-12)
        # Within its range the middle angle is unique, and so are the others; at its ends the last is 0.
        np.testing.assert_allclose(rotations.to_euler(rotations.from_matrix(expected), order), three, atol=1e-5)


def test_forms_say_what_they_are_said_to():
    quarter = [0, 0, np.sqrt(0.5), np.sqrt(0.5)]
    np.testing.assert_allclose(rotations.to_matrix(quarter), axis_matrix("Z", np.pi / 2), atol=1e-15)
    np.testing.assert_allclose(rotations.to_axis_angle(quarter), [0, 0, np.pi / 2], atol=1e-15)
    np.testing.assert_allclose(rotations.to_6d(quarter), [0, 1, 0, -1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(rotations.multiply(quarter, quarter), [0, 0, 1, 0], atol=1e-15)
    # A network's columns are neither of length 1 nor at right angles.
    np.testing.assert_allclose(rotations.from_6d([2, 0, 0, 5, 0.1, 0]), [0, 0, 0, 1], atol=1e-15)
    assert rotations.to_axis_angle(np.zeros((3, 5, 4)) + [0, 0, 0, 2]).shape == (3, 5, 3)


def test_angles_of_a_bvh_are_those_of_its_text(bvh):
    # The second frame: Zrotation 90, then the leg's Zrotation 10, Xrotation 20, Yrotation 30.
    pose = bvh.clips[0].sample(0.25, order="raw")
    np.testing.assert_allclose(rotations.to_euler(pose[1, 3:7], "ZXY"), [10, 20, 30], atol=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rotations.to_matrix([1, 2, 3]), "4 numbers"),
        (lambda: rotations.to_matrix([0, 0, 0, 0]), "length 0"),
        (lambda: rotations.to_matrix([0, 0, np.nan, 1]), "finite"),
        (lambda: rotations.from_matrix(np.ones((3, 3))), "no rotation"),
        (lambda: rotations.from_matrix(-np.eye(3)), "no rotation"),
        (lambda: rotations.from_6d([1, 0, 0, 2, 0, 0]), "parallel"),
        (lambda: rotations.from_6d([0, 0, 0, 0, 1, 0]), "parallel"),
        (lambda: rotations.to_euler([0, 0, 0, 1], "XXZ"), "XXZ"),
        (lambda: lissom.batch([]), "none"),
        (lambda: lissom.batch([np.ones((2, 3)), np.ones((2, 4))]), "array 1"),
    ],
)
def test_what_is_no_rotation_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_ragged_motions_become_one_array():
    short, long = np.full((3, 2, 3), 1.0, np.float32), np.full((5, 2, 3), 2.0, np.float32)
    motions, mask = lissom.batch([short, long], value=-1)
    assert motions.shape == (2, 5, 2, 3) and motions.dtype == np.float32
    assert mask.tolist() == [[True] * 3 + [False] * 2, [True] * 5]
    assert (motions[0, :3] == 1).all() and (motions[0, 3:] == -1).all() and (motions[1] == 2).all()
    motions, mask = lissom.batch([short, long], frames=4)
    assert motions.shape == (2, 4, 2, 3) and mask.sum() == 7
