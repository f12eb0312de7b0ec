"""Values: against the command bit for bit, against an evaluation of our own in numpy."""

import json
import re

import lissom
import numpy as np
import pytest
from conftest import BVH


def said(command, file, time, space, *more):
    return json.loads(command("sample", file, "--time", repr(time), "--space", space, "--json", *more))


def compare_with_command(command, file, asset, clip):
    for time in [0.0, clip.duration * 0.37, clip.duration, clip.duration + 1]:
        pose = said(command, file, time, "local", "--clip", clip.name)
        theirs = [[*j["translation"], *j["rotation"], *j["scale"]] for j in pose["joints"]]
        ours = clip.sample(time)
        assert [j["name"] for j in pose["joints"]] == clip.skeleton.names
        assert [-1 if j["parent"] is None else j["parent"] for j in pose["joints"]] == clip.skeleton.parents
        assert ours.dtype == (np.float32 if clip.cooked else np.float64)
        np.testing.assert_array_equal(np.array(theirs).astype(ours.dtype), ours)
        pose = said(command, file, time, "model", "--clip", clip.name)
        columns = np.array([j["matrix"] for j in pose["joints"]]).astype(np.float32).reshape(-1, 4, 4)
        np.testing.assert_array_equal(columns.transpose(0, 2, 1), clip.sample(time, space="model"))
        for track, value in zip(clip.tracks, pose["tracks"], strict=True):
            assert track.name == value["name"]
            sampled = track.sample([min(time, clip.duration) / clip.duration])[0]
            np.testing.assert_array_equal(np.array(value["value"]).astype(sampled.dtype), sampled)


def test_poses_are_those_of_the_command(command, tmp_path):
    file = tmp_path / "walk.bvh"
    file.write_text(BVH)
    asset = lissom.open(file)
    compare_with_command(command, file, asset, asset.clips[0])
    asset.save(tmp_path / "walk.lsm")
    cooked = lissom.open(tmp_path / "walk.lsm")
    compare_with_command(command, tmp_path / "walk.lsm", cooked, cooked.clips[0])


def test_poses_of_real_files_are_those_of_the_command(command, assets):
    files = [*sorted(assets.rglob("cmu-bvh/**/*.bvh"))[:2], *sorted(assets.rglob("khronos-sample-assets/**/*.glb"))[:6]]
    compared = 0
    for file in files:
        asset = lissom.open(file)
        for clip in asset.clips[:2]:
            compare_with_command(command, file, asset, clip)
            compared += 1
    assert compared >= 2


def test_an_archive_is_that_of_the_command(command, tmp_path):
    file = tmp_path / "walk.bvh"
    file.write_text(BVH)
    command("import", file, "-o", tmp_path / "theirs.lsm")
    lissom.open(file).save(tmp_path / "ours.lsm")
    assert (tmp_path / "ours.lsm").read_bytes() == (tmp_path / "theirs.lsm").read_bytes()
    assert lissom.cook(file).to_bytes() == (tmp_path / "theirs.lsm").read_bytes()


def axis_matrix(axis, degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    one, other = {"X": (1, 2), "Y": (2, 0), "Z": (0, 1)}[axis]
    m = np.eye(4)
    m[one, one] = m[other, other] = c
    m[other, one], m[one, other] = s, -s
    return m


def evaluate_bvh(text):
    """Model matrices of every frame, straight from the text, with matrices instead of quaternions."""
    head, motion = text.split("MOTION")
    joints, stack = [], []
    for line in head.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] in ("ROOT", "JOINT"):
            joints.append({"parent": stack[-1] if stack else None, "channels": []})
            stack.append(len(joints) - 1)
        elif words[0] == "End":
            stack.append(None)
        elif words[0] == "OFFSET" and stack[-1] is not None:
            joints[stack[-1]]["offset"] = [float(w) for w in words[1:]]
        elif words[0] == "CHANNELS":
            joints[stack[-1]]["channels"] = words[2:]
        elif words[0] == "}":
            stack.pop()
    rows = np.array([[float(w) for w in line.split()] for line in motion.strip().splitlines()[2:]])
    out = np.zeros((len(rows), len(joints), 4, 4))
    for frame, row in enumerate(rows):
        numbers = iter(row)
        for at, joint in enumerate(joints):
            place, turn = np.array(joint["offset"], float), np.eye(4)
            for channel in joint["channels"]:
                if channel.endswith("position"):
                    place["XYZ".index(channel[0])] = next(numbers)
                else:
                    turn = turn @ axis_matrix(channel[0], next(numbers))
            turn[:3, 3] = place
            out[frame, at] = turn if joint["parent"] is None else out[frame, joint["parent"]] @ turn
    return out


def test_a_file_is_what_its_text_says(bvh):
    clip = bvh.clips[0]
    expected = evaluate_bvh(BVH)
    positions = clip.positions(rate=4, order="raw")
    assert positions.dtype == np.float64
    np.testing.assert_allclose(positions, expected[..., :3, 3], rtol=0, atol=1e-12)
    models = clip.sample(clip.times(4), space="model", order="raw")
    np.testing.assert_allclose(models, expected, rtol=0, atol=1e-5)


def test_real_files_are_what_their_text_says(assets):
    files = sorted(assets.rglob("cmu-bvh/**/*.bvh"), key=lambda f: f.stat().st_size)[:20]
    assert files
    for file in files:
        text = file.read_text()
        frame_time = float(re.search(r"Frame Time:\s*(\S+)", text)[1])
        clip = lissom.open(file, unit=1.0).clips[0]
        expected = evaluate_bvh(text)[..., :3, 3]
        positions = clip.sample(np.arange(len(expected)) * frame_time, space="model", order="raw")[..., :3, 3]
        height = np.ptp(expected[0, :, 1])
        assert np.abs(positions - expected).max() <= 1e-5 * height
        # The last frame may lie a rounding past the end.
        exact = clip.positions(rate=1 / frame_time, order="raw")
        assert np.abs(exact - expected).max() <= 1e-6 * height


def matrices_of(trs):
    x, y, z, w = np.moveaxis(trs[..., 3:7], -1, 0)
    m = np.zeros((*trs.shape[:-1], 4, 4))
    m[..., 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1)
    m[..., 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1)
    m[..., 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1)
    m[..., :3, :3] *= trs[..., None, 7:]
    m[..., :3, 3] = trs[..., :3]
    m[..., 3, 3] = 1
    return m


def composed(clip, locals_):
    models = matrices_of(locals_.astype(float))
    for joint, parent in enumerate(clip.skeleton.parents):
        if parent >= 0:
            models[:, joint] = models[:, parent] @ models[:, joint]
    return models


def test_spaces_and_matrices_agree(clip):
    times = clip.times(50)
    locals_ = clip.sample(times)
    expected = composed(clip, locals_)
    np.testing.assert_allclose(clip.sample(times, matrices=True), matrices_of(locals_), rtol=0, atol=1e-12)
    np.testing.assert_allclose(clip.sample(times, space="model"), expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(clip.positions(50), expected[..., :3, 3], rtol=0, atol=1e-12)


def test_a_cooked_clip_is_within_its_precision(clip):
    cooked = lissom.cook(clip, precision=0.001)
    played, report = cooked["wander"], cooked.report[0]
    assert played.cooked and report["within"] and report["worst"] <= 0.001
    assert report["bytes"] < report["raw_bytes"]
    assert played.sample([0.0]).dtype == np.float32
    times = clip.times(97)
    np.testing.assert_allclose(played.sample(times, space="model"), composed(played, played.sample(times)), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(played.positions(97), played.sample(times, space="model")[..., :3, 3])
    assert np.linalg.norm(played.positions(97) - clip.positions(97), axis=-1).max() <= 0.001


def test_a_budget_is_kept(clip):
    small = lissom.cook(clip, budget=1500)
    assert small.report[0]["bytes"] <= 1500
    assert small.report[0]["worst"] > lissom.cook(clip).report[0]["worst"]


def test_whatever_the_order_of_times_poses_are_the_same(clip):
    for played in (clip, lissom.cook(clip).clips[0]):
        times = np.linspace(-1, 3, 20_000)
        order = np.random.default_rng(1).permutation(len(times))
        forward = played.sample(times)
        np.testing.assert_array_equal(played.sample(times[order]), forward[order])
        np.testing.assert_array_equal(played.sample(times[::-1]), forward[::-1])
        np.testing.assert_array_equal(played.sample(times[777]), forward[777])


def test_a_clip_knows_its_rate(bvh, clip, body):
    assert clip.rate == pytest.approx(30) and bvh.clips[0].rate == pytest.approx(4)
    assert len(clip.positions(clip.rate)) == 61
    assert lissom.cook(clip).clips[0].rate == pytest.approx(30)
    assert lissom.Clip.from_arrays(body, np.ones((1, 4, 4))).rate is None


def test_a_rate_is_the_one_that_the_file_means():
    head, motion = BVH.split("Frame Time: 0.25\n")
    rows = motion.splitlines() * 200
    head = head.replace("Frames: 5", f"Frames: {len(rows)}")
    for text, rate in [("0.0083333", 120.0), ("0.0333333", 30.0), ("0.0416667", 24.0), ("0.0333667", None), ("0.007", None)]:
        file = f"{head}Frame Time: {text}\n" + "\n".join(rows)
        clip = lissom.open(file.encode(), name="walk.bvh").clips[0]
        assert clip.rate == (rate or pytest.approx(1 / float(text), rel=1e-9)), text
        # Every frame of the file, and no other: whatever its rate is rounded to.
        assert clip.frames == len(rows)
        exact = clip.sample(np.arange(len(rows)) * float(text), space="model")[..., :3, 3]
        for places in (clip.positions(rate=None), clip.positions(clip.rate)):
            assert places.shape == exact.shape, text
            np.testing.assert_allclose(places, exact, rtol=0, atol=1e-4)
        np.testing.assert_array_equal(clip.times(None), clip.times(clip.rate))
    uneven = lissom.Clip.from_arrays(clip.skeleton, np.ones((1, len(clip.skeleton), 4)))
    assert uneven.frames is None
    with pytest.raises(ValueError, match="rate"):
        uneven.positions(None)


def test_velocities_are_slopes_of_positions(clip):
    for moving in (clip, lissom.cook(clip).clips[0]):
        for rate in (30, 97.5, None):
            places, times = moving.positions(rate), moving.times(rate)
            speeds = moving.velocities(rate)
            assert speeds.dtype == places.dtype and speeds.shape == places.shape
            np.testing.assert_allclose(speeds, np.gradient(places.astype(float), times, axis=0), rtol=0, atol=1e-4)
    raw = clip.velocities(order="raw")
    np.testing.assert_array_equal(raw[:, clip.skeleton.raw_of_joint], clip.velocities())
    still = lissom.Clip.from_arrays(clip.skeleton, np.ones((1, 4, 4)))
    assert (still.velocities() == 0).all()


def test_joints_are_found_by_name_and_by_parent(body):
    assert [body.index(name) for name in body.names] == [0, 1, 2, 3]
    assert body.children() == [0] and body.children("hips") == [1, 2] == body.children(0)
    assert body.children("left") == [3] and body.children("foot") == []
    for joint, parent in enumerate(body.parents):
        assert joint in body.children(None if parent < 0 else parent)
    with pytest.raises(KeyError, match="did you mean"):
        body.index("fooot")
    with pytest.raises(IndexError, match="there are 4"):
        body.children(4)


def test_a_plot_has_every_bone(clip):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    axes = lissom.plot(clip, [0, 0.5, 1])
    # A line for each joint at each time.
    assert len(axes.lines) == 3 * 4 and axes.get_title() == "wander"
    heights = [y for line in axes.lines[:4] for y in line.get_ydata()]
    assert max(heights) == pytest.approx(clip.sample(0, space="model")[:, 1, 3].max())
    with pytest.raises(ValueError, match="view"):
        lissom.plot(clip, view="top")
    pyplot.close("all")


def test_both_orders_are_named(clip):
    body = clip.skeleton
    assert body.names == ["hips", "right", "left", "foot"]
    assert body.raw_names == ["foot", "hips", "right", "left"]
    assert body.parents == [-1, 0, 0, 2]
    times = clip.times(10)
    for more in ({}, {"matrices": True}, {"space": "model"}):
        built, raw = clip.sample(times, **more), clip.sample(times, order="raw", **more)
        np.testing.assert_array_equal(raw[:, body.raw_of_joint], built)
        np.testing.assert_array_equal(built[:, body.joint_of_raw], raw)
    np.testing.assert_array_equal(clip.positions(10, order="raw")[:, body.raw_of_joint], clip.positions(10))
    np.testing.assert_array_equal(body.rest(order="raw")[body.raw_of_joint], body.rest())


@pytest.mark.parametrize("order", ["built", "raw"])
def test_arrays_make_the_round_trip(body, order):
    rng = np.random.default_rng(3)
    rotations = rng.normal(size=(10, 4, 4))
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    translations = rng.normal(size=(10, 4, 3))
    clip = lissom.Clip.from_arrays(body, rotations, translations, rate=25, order=order)
    back = clip.sample(np.arange(10) / 25, order=order)
    np.testing.assert_array_equal(back[..., :3], translations)
    assert np.abs(np.abs((back[..., 3:7] * rotations).sum(-1)) - 1).max() < 1e-12
    np.testing.assert_array_equal(back[..., 7:], 1)


def test_skin_moves_vertices_by_their_weights(mannequin):
    mesh, clip = mannequin.meshes[0], mannequin["walk"]
    pose = clip.sample([0, clip.duration / 3], space="model")
    moved = lissom.skin(mesh, pose)
    palette = pose.astype(float) @ mesh.inverse_binds
    points = np.concatenate([mesh.positions, np.ones((len(mesh.positions), 1))], axis=1)
    blended = np.einsum("vi,fvirc->fvrc", mesh.weights, palette[:, mesh.joints])
    expected = np.einsum("fvrc,vc->fvr", blended, points)[..., :3]
    np.testing.assert_allclose(moved, expected, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(lissom.skin(mesh, pose[1]), moved[1])
    assert mesh.triangles.max() < len(mesh.positions)
    np.testing.assert_allclose(mesh.weights.sum(axis=1), 1, atol=1e-5)
