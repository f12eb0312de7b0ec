"""SMPL bodies: rotations and paths as written, evaluated here in another way."""

import io

import lissom
import numpy as np
import pytest


def npz(joints=52, frames=7, **changes):
    rng = np.random.default_rng(11)
    content = {
        "poses": rng.normal(size=(frames, joints * 3)) * 0.7,
        "trans": rng.normal(size=(frames, 3)),
        "betas": rng.normal(size=16),
        "mocap_framerate": np.array(60.0),
        "gender": np.array("neutral"),
    }
    content.update(changes)
    file = io.BytesIO()
    np.savez(file, **{key: value for key, value in content.items() if value is not None})
    file.seek(0)
    return file, content


def rodrigues(vector):
    angle = np.linalg.norm(vector)
    x, y, z = vector / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


@pytest.mark.parametrize("joints", [24, 52, 55])
def test_bodies_are_posed_as_their_model_poses_them(joints):
    file, content = npz(joints)
    rest = np.random.default_rng(2).normal(size=(joints, 3))
    clip = lissom.read_amass(file, joints=rest)
    assert clip.duration == pytest.approx(6 / 60) and len(clip.skeleton) == joints
    names, of_raw = clip.skeleton.raw_names, clip.skeleton.joint_of_raw
    parents = [-1 if clip.skeleton.parents[j] < 0 else clip.skeleton.raw_of_joint[clip.skeleton.parents[j]] for j in of_raw]
    assert names[:4] == ["pelvis", "left_hip", "right_hip", "spine1"]
    up = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    found = clip.positions(60, order="raw")
    for frame in range(7):
        turns, places = [None] * joints, [None] * joints
        for joint, parent in enumerate(parents):
            own = rodrigues(content["poses"][frame, 3 * joint : 3 * joint + 3])
            if parent < 0:
                turns[joint], places[joint] = own, rest[joint] + content["trans"][frame]
            else:
                turns[joint] = turns[parent] @ own
                places[joint] = places[parent] + turns[parent] @ (rest[joint] - rest[parent])
        np.testing.assert_allclose(found[frame], np.array(places) @ up.T, rtol=0, atol=1e-12)


def test_bones_come_from_the_body_model():
    file, content = npz()
    rng = np.random.default_rng(3)
    parts = {
        "v_template": rng.normal(size=(100, 3)),
        "shapedirs": rng.normal(size=(100, 3, 10)),
        "J_regressor": rng.random(size=(52, 100)),
    }
    model = io.BytesIO()
    np.savez(model, **parts)
    model.seek(0)
    body = parts["v_template"] + np.einsum("vxb,b->vx", parts["shapedirs"], content["betas"][:10])
    places = np.einsum("jv,vx->jx", parts["J_regressor"], body)
    expected = lissom.read_amass(npz()[0], joints=places).positions(60)
    np.testing.assert_allclose(lissom.read_amass(file, model=model).positions(60), expected, rtol=0, atol=1e-9)


def test_without_a_model_a_person_stands_there():
    still = {"poses": np.zeros((2, 156)), "trans": np.zeros((2, 3))}
    clip = lissom.read_amass(npz(frames=2, **still)[0], name="still")
    rest = clip.skeleton.rest()
    assert clip.name == "still" and rest[0, 1] > 0.8
    places = dict(zip(clip.skeleton.names, clip.positions(60)[0], strict=True))
    # The files have z up: what lies on its back there lies on its back here.
    assert places["head"][2] < places["left_foot"][2] - 1
    for name in ("hip", "wrist", "thumb3"):
        left, right = places[f"left_{name}"], places[f"right_{name}"]
        np.testing.assert_allclose(left * [-1, 1, 1], right, atol=1e-12)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (npz(poses=None)[0], r"poses: found nothing, expected numbers of 2 dimensions; there are \['betas'"),
        (npz(poses=np.zeros((3, 60)))[0], r"poses: found the shape \(3, 60\), expected 72"),
        (npz(trans=np.zeros((3, 3)))[0], r"trans: found the shape \(3, 3\), expected \(7, 3\)"),
        (npz(mocap_framerate=None)[0], "mocap_framerate"),
        (npz(poses=np.array([["a"] * 156]))[0], "poses: found <U1"),
        (io.BytesIO(b"PK something"), "found no .npz archive"),
        (io.BytesIO(b""), "found no .npz archive"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(file, message):
    with pytest.raises(lissom.FormatError, match=message):
        lissom.read_amass(file)


def test_nothing_is_unpickled():
    class Loud:
        def __reduce__(self):
            return (pytest.fail, ("it was unpickled",))

    clip = lissom.read_amass(npz(gender=np.array([Loud()], dtype=object))[0])
    assert clip.duration > 0
    with pytest.raises(FileNotFoundError):
        lissom.read_amass("nowhere.npz")
