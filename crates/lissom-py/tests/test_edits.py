"""Edits of clips and recipes: what they do to poses, and that they are those of the command."""

import lissom
import numpy as np
import pytest
from conftest import BVH


@pytest.fixture
def walk():
    """Two legs, one swings."""
    names, parents = ["hips", "left_leg", "right_leg", "left_foot", "right_foot"], [-1, 0, 0, 1, 2]
    places = [[0, 1, 0], [0.1, 0, 0], [-0.1, 0, 0], [0, -0.9, 0.1], [0, -0.9, 0.1]]
    body = lissom.Skeleton(names, parents, places)
    angles = np.linspace(0, 1, 31)
    rotations = np.tile([0, 0, 0, 1.0], (31, 5, 1))
    left = body.names.index("left_leg")
    rotations[:, left] = np.stack([np.sin(angles / 2), 0 * angles, 0 * angles, np.cos(angles / 2)], axis=-1)
    translations = np.tile(body.rest()[:, :3], (31, 1, 1))
    translations[:, 0, 2] = 2 * angles
    translations[:, 0, 0] = 0.3 * angles
    return lissom.Clip.from_arrays(body, rotations, translations, rate=30, name="walk")


def test_mirroring_swaps_left_and_right(walk):
    mirrored = walk.edit(mirror=True)
    names = walk.skeleton.names
    swapped = [names.index(n.translate({}).replace("left", "?").replace("right", "left").replace("?", "right")) for n in names]
    expected = walk.positions(30)[:, swapped] * [-1, 1, 1]
    np.testing.assert_allclose(mirrored.positions(30), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(mirrored.edit(mirror="x").positions(30), walk.positions(30), rtol=0, atol=1e-12)


def test_time_is_cut_turned_and_resampled(walk):
    part = walk.edit(trim=(0.2, 0.7))
    assert part.duration == pytest.approx(0.5)
    np.testing.assert_allclose(part.sample(0.1), walk.sample(0.3), rtol=0, atol=1e-6)
    assert walk.edit(trim=(None, 0.5)).duration == pytest.approx(0.5)
    back = walk.edit(reverse=True)
    np.testing.assert_allclose(back.positions(30), walk.positions(30)[::-1], rtol=0, atol=1e-9)
    coarse = walk.edit(rate=10)
    np.testing.assert_allclose(coarse.positions(10), walk.positions(10), rtol=0, atol=1e-9)


def test_travel_loops_names_and_events(walk):
    still = walk.edit(in_place=True)
    assert np.ptp(still.positions(30)[:, 0, [0, 2]], axis=0).max() < 1e-9
    closed = walk.edit(loop="close", name="*_loop", events={"step": [0.1, 0.6]})
    assert closed.looping and closed.name == "walk_loop"
    assert [(m.name, m.time) for m in closed.markers] == [("step", 0.1), ("step", 0.6)]
    np.testing.assert_allclose(closed.sample(0), closed.sample(closed.duration), rtol=0, atol=1e-9)
    marked = walk.edit(events=[lissom.Marker("hit", 0.3, 0.2)])
    assert marked.markers == [lissom.Marker("hit", 0.3, 0.2)]
    assert walk.markers == [] and walk.name == "walk"


def test_a_cooked_clip_is_edited_as_it_is_played(walk):
    cooked = lissom.cook(walk).clips[0]
    mirrored = cooked.edit(mirror=True)
    assert not mirrored.cooked
    np.testing.assert_allclose(mirrored.positions(30), walk.edit(mirror=True).positions(30), rtol=0, atol=1e-3)


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ({"trim": (2, 1)}, r"trim: found \(2, 1\), expected two times"),
        ({"trim": 3}, r"trim: found 3, expected \(start, end\)"),
        ({"trim": (0.5, 9)}, r'clip "walk".*trim'),
        ({"mirror": "w"}, "mirror: found 'w', expected"),
        ({"in_place": "much"}, "in_place: found 'much', expected True, False"),
        ({"loop": 7}, "loop: found 7, expected"),
        ({"loop": True}, r'clip "walk".*its last pose is not its first'),
        ({"rate": 0}, "rate: found 0, expected"),
        ({"name": ""}, "name: found an empty text"),
        ({"events": {"step": 5}}, r'clip "walk".*the clip has 1 s'),
        ({"events": 3}, "events: found 3, expected"),
    ],
)
def test_an_edit_that_cannot_be_is_refused(walk, edits, message):
    with pytest.raises(ValueError, match=message):
        walk.edit(**edits)


def test_a_recipe_does_what_the_command_does(command, tmp_path):
    (tmp_path / "walk.bvh").write_text(BVH)
    recipe = '[clips.walk]\ntrim = [0.25, 0.75]\nmirror = true\nname = "part"\n[clips.added]\nfrom = "walk"\nadditive = "first"\n'
    (tmp_path / "lissom.toml").write_text(recipe)
    command("import", tmp_path / "walk.bvh", "-o", tmp_path / "theirs.lsm")
    for told in (tmp_path / "lissom.toml", recipe.encode()):
        cooked = lissom.cook(tmp_path / "walk.bvh", recipe=told)
        assert [clip.name for clip in cooked.clips] == ["part", "added"]
        assert cooked.to_bytes() == (tmp_path / "theirs.lsm").read_bytes()
    with pytest.raises(lissom.FormatError, match='line 2: clips.walk has no key "miror"'):
        lissom.cook(tmp_path / "walk.bvh", recipe=b"[clips.walk]\nmiror = true\n")


def test_joints_may_have_shells_of_their_own(clip):
    far = lissom.cook(clip, shell=[0.03, 0.03, 0.03, 2.0])
    assert far.report[0]["bytes"] > lissom.cook(clip).report[0]["bytes"]
    with pytest.raises(ValueError, match=r"shell: found the shape \(2,\), expected a length, or \(4,\)"):
        lissom.cook(clip, shell=[1, 2])


def test_root_motion_is_the_way_of_the_hips(mannequin):
    walk = mannequin["walk"]
    way = walk.root_motion(rate=60)
    hips = walk.positions(60)[:, 0]
    assert way.shape == (len(hips), 7) and way.dtype == np.float64
    np.testing.assert_allclose(way[:, [0, 2]], (hips - hips[0])[:, [0, 2]], rtol=0, atol=0.05)
    assert not way[:, 1].any()
    np.testing.assert_allclose(np.linalg.norm(way[:, 3:], axis=1), 1, rtol=0, atol=1e-12)
    # Taken out of the motion it is the same, and what is left stays in its place.
    still = walk.edit(root_motion=True)
    assert {track.name for track in still.tracks} >= {"root/translation", "root/rotation"}
    np.testing.assert_allclose(still.root_motion(rate=60), way, rtol=0, atol=1e-9)
    assert np.ptp(still.positions(60)[:, 0, 2]) < 1e-6 < np.ptp(hips[:, 2])
    cooked = lissom.cook(still).clips[0]
    np.testing.assert_allclose(cooked.root_motion(rate=60), way, rtol=0, atol=1e-3)


def test_root_motion_is_told_in_detail(mannequin):
    walk = mannequin["walk"]
    told = walk.edit(root_motion={"joint": walk.skeleton.names[0], "axes": "xyz", "turn": False, "reference": "origin", "bake": False})
    np.testing.assert_array_equal(told.positions(30), walk.positions(30))
    way = told.root_motion(rate=30)
    np.testing.assert_allclose(way[:, :3], walk.positions(30)[:, 0], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(way[:, 3:], np.tile([0, 0, 0, 1.0], (len(way), 1)))


def test_contacts_are_where_feet_are_low_and_still():
    body = lissom.Skeleton(["hips", "l", "r"], [-1, 0, 0], [[0, 0.9, 0], [0.1, -0.9, 0], [-0.1, -0.9, 0]])
    rate, seconds = 60, 3
    time = np.arange(rate * seconds + 1) / rate
    place = np.tile(body.rest()[:, :3], (len(time), 1, 1))
    # Half a second each: still, fast along the ground, still, high and still, still, slow along the ground.
    part = np.minimum((time * 2).astype(int), 5)
    place[:, 1, 2] += np.cumsum(np.choose(part, [0, 1.5, 0, 0, 0, 0.2])) / rate
    place[:, 1, 1] += np.where(part == 3, 0.2, 0)
    clip = lissom.Clip.from_arrays(body, np.tile([0, 0, 0, 1.0], (len(time), 3, 1)), place, rate=rate)
    # Two looks at each end, where a foot comes to rest.
    contacts = clip.contacts(feet=("l", "r"))
    np.testing.assert_allclose(contacts["left"], [[0, 0.5], [1, 1.5], [2, 3]], rtol=0, atol=2.5 / rate)
    np.testing.assert_array_equal(contacts["right"], [[0, 3]])
    # With another bound each, the other condition alone decides.
    fast = clip.contacts(feet=("l", "r"), speed=100)["left"]
    np.testing.assert_allclose(fast, [[0, 1.5], [2, 3]], rtol=0, atol=2.5 / rate)
    high = clip.contacts(feet=("l", "r"), height=0.5)["left"]
    np.testing.assert_allclose(high, [[0, 0.5], [1, 3]], rtol=0, atol=2.5 / rate)


def test_contacts_of_a_walk_are_spans_and_markers(mannequin):
    walk = mannequin["walk"]
    contacts = walk.contacts()
    assert list(contacts) == ["left", "right"]
    names = walk.skeleton.names
    for side, spans in contacts.items():
        assert spans.dtype == np.float64 and spans.shape[1:] == (2,) and len(spans) > 0
        assert (spans[:, 0] < spans[:, 1]).all() and (spans >= 0).all() and (spans <= walk.duration).all()
        foot = [j for j, name in enumerate(names) if name in (f"foot_{side[0]}", f"foot.{side}", f"{side}_foot", f"foot_{side}")]
        assert foot, names
        times = walk.times(120)
        low = walk.positions(120)[:, foot[0], 1]
        stands = ((times[:, None] >= spans[:, 0]) & (times[:, None] < spans[:, 1])).any(axis=1)
        assert low[stands].mean() < low[~stands].mean()
    # The markers say the same. The mannequin has some of its maker's already.
    added = walk.edit(contacts=True).markers
    for known in walk.markers:
        added.remove(known)
    for side, spans in contacts.items():
        found = [(m.time, m.time + m.duration) for m in added if m.name == f"contact_{side}"]
        np.testing.assert_allclose(found, spans, rtol=0, atol=1e-12)
    assert walk.contacts(height=1e-9, speed=1e-9)["left"].shape == (0, 2)


def test_a_gait_has_a_phase_and_a_speed(mannequin):
    walk = mannequin["walk"].edit(gait=True)
    tracks = {track.name: track for track in walk.tracks}
    way = walk.root_motion(rate=60)
    speed = np.linalg.norm(way[-1, :3] - way[0, :3]) / walk.duration
    np.testing.assert_allclose(tracks["gait/speed"].values, [[speed]], rtol=0.05)
    assert (np.diff(tracks["gait/phase"].sample(np.linspace(0, 1, 30))[:, 0]) > 0).all()
    with pytest.raises(ValueError, match="it is no gait"):
        mannequin["idle"].edit(gait=True)


def test_motions_go_onto_other_bodies(mannequin, bvh):
    walk = mannequin["walk"]
    tall = lissom.Skeleton(
        walk.skeleton.raw_names,
        [-1 if p < 0 else walk.skeleton.raw_of_joint[p] for p in np.array(walk.skeleton.parents)[walk.skeleton.joint_of_raw]],
        walk.skeleton.rest(order="raw")[:, :3] * 1.25,
        walk.skeleton.rest(order="raw")[:, 3:7],
    )
    with pytest.warns(UserWarning, match="3 joints of the skeleton are no bones and rest: root, spine_02, neck_02") as said:
        moved = walk.retarget(tall)
    # Once, and as the library's: the caller's line has nothing to do with it.
    assert len(said) == 1 and said[0].filename == "lissom", [str(one.message) for one in said]
    assert moved.skeleton == tall and moved.name == "walk" and not moved.cooked
    # The same turns on bones of another length: everything is that much larger. The root, no bone, stays behind.
    np.testing.assert_allclose(moved.positions(30)[:, 1:], walk.positions(30)[:, 1:] * 1.25, rtol=0, atol=0.01)
    with pytest.warns(UserWarning):
        stands = walk.retarget(tall, hands=True, feet=True)
    np.testing.assert_allclose(stands.positions(30)[:, 1:], walk.positions(30)[:, 1:] * 1.25, rtol=0, atol=0.05)
    np.testing.assert_array_equal(walk.retarget(walk.skeleton).positions(30), walk.positions(30))
    with pytest.raises(ValueError, match="target"):
        walk.retarget(bvh.skeletons[0])
    with pytest.raises(ValueError, match='there is no bone "left_hnd"; did you mean "left_hand"'):
        walk.retarget(tall, bones={"left_hnd": "hand_l"})
    with pytest.raises(ValueError, match='no joint of the source or target is called "hand_ll"; did you mean "hand_l"'):
        walk.retarget(tall, bones={"left_hand": "hand_ll"})
    with pytest.warns(UserWarning, match="left hand: not found in the skeleton"):
        walk.retarget(tall, bones={"target.left_hand": ""})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.root_motion(0), "rate: found 0, expected"),
        (lambda c: c.root_motion(joint="hip"), r'clip "walk".*root-motion.*no joint'),
        (lambda c: c.edit(root_motion=3), "root_motion: found 3, expected True, False"),
        (lambda c: c.edit(root_motion={"axis": "x"}), "root_motion: found the key 'axis', expected some of joint, axes"),
        (lambda c: c.edit(root_motion={"axes": "xw"}), "root_motion, axes: found 'xw', expected some of x, y and z"),
        (lambda c: c.edit(root_motion={"turn": 3}), "root_motion, turn: found 3, expected True or False"),
        (lambda c: c.edit(root_motion={"reference": "me"}), "root_motion, reference: found 'me', expected"),
        (lambda c: c.contacts(feet=("Nobody", "right_foot")), "no joint is known to be the left foot"),
        (lambda c: c.contacts(feet="Foot"), "feet: found 'Foot', expected two joints"),
        (lambda c: c.contacts(height=-1), "height: found -1, expected metres"),
        (lambda c: c.contacts(speed=float("nan")), "speed: found nan, expected metres per second"),
        (lambda c: c.edit(contacts={"hight": 1}), "contacts: found the key 'hight', expected some of height, speed, feet"),
    ],
)
def test_what_is_asked_of_motions_must_make_sense(walk, call, message):
    with pytest.raises(ValueError, match=message):
        call(walk)
