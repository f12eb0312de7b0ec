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
