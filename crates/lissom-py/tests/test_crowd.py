"""Many characters that a graph plays: parameters in, poses out, and the same bits whatever the company."""

import json
import pathlib
import pickle
import threading

import lissom
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

GRAPH = {
    "parameters": {
        "speed": {"float": 0, "half_life_s": 0.1},
        "mood": {"int": 3},
        "crouch": {"bool": False},
        "turn": "trigger",
    },
    "masks": {"upper_body": [{"joint": "spine_01", "falloff": 2}]},
    "clips": ["wave"],
    "layers": [
        {
            "name": "body",
            "states": [
                {
                    "name": "move",
                    "line": "speed",
                    "points": [
                        {"at": 0, "clip": "idle", "own_time": True},
                        {"at": 1.4, "clip": "walk"},
                        {"at": 4, "clip": "run"},
                    ],
                },
                {"name": "crouch", "clip": "crouch", "repeat": "once"},
                {"name": "turn", "clip": "turn", "repeat": "once"},
            ],
            "transitions": [
                {"from": "move", "to": "crouch", "when": {"crouch": True}},
                {"from": "crouch", "to": "move", "when": {"crouch": False}, "fade_s": 0.3, "inertial": True},
                {"from": "move", "to": "turn", "when": {"turn": True, "mood": {"above": 2}}, "priority": 1},
                {"from": "turn", "to": "move", "exit": 0.9},
            ],
        },
        {"name": "upper_body", "mask": "upper_body"},
    ],
}
RECIPE = b"""clip = ["idle", "walk", "run", "crouch", "turn", "wave"]
precision = "1mm"
[clips."*"]
root-motion = true
contacts = true
"""


@pytest.fixture(scope="module")
def people(mannequin):
    return lissom.cook(mannequin, recipe=RECIPE, effort="fast")


@pytest.fixture
def crowd(people):
    return lissom.Crowd(people, GRAPH, 40)


def run(crowd, speeds, steps=30, dt=1 / 60):
    crowd["speed"] = speeds
    for _ in range(steps):
        crowd.update(dt)
    return crowd


SPEEDS = np.linspace(0, 4, 40)


def test_a_member_alone_is_what_it_is_among_others(crowd, people):
    run(crowd, SPEEDS)
    for member in (0, 7, 39):
        alone = run(lissom.Crowd(people, GRAPH, 1), SPEEDS[member])
        np.testing.assert_array_equal(alone.matrices()[0], crowd.matrices()[member])
        np.testing.assert_array_equal(alone.poses()[0], crowd.poses()[member])
        np.testing.assert_array_equal(alone.places[0], crowd.places[member])
        np.testing.assert_array_equal(alone.root_motion()[0], crowd.root_motion()[member])


def test_one_clip_of_a_crowd_is_that_clip(people):
    """A second way to the same numbers: no graph, no blend, no crowd."""
    clip = people["walk"]
    graph = {"layers": [{"name": "body", "states": [{"name": "walk", "clip": "walk"}]}]}
    crowd = lissom.Crowd(people, graph, 3)
    for step in range(20):
        time = (step * clip.duration / 16) % clip.duration
        np.testing.assert_allclose(crowd.matrices()[1], clip.sample(time, space="model"), rtol=0, atol=2e-6)
        np.testing.assert_allclose(crowd.poses()[2], clip.sample(time), rtol=0, atol=2e-6)
        crowd.update(clip.duration / 16)


def test_poses_are_those_of_the_matrices(crowd, people):
    """An animator shows the poses, a crowd the matrices: numpy leads from one to the other."""
    run(crowd, SPEEDS)
    crowd.play("wave", members=[3, 4])
    run(crowd, SPEEDS, steps=7)
    poses, matrices = crowd.poses(), crowd.matrices()
    local = np.zeros_like(matrices, dtype=float)
    x, y, z, w = (poses[..., i].astype(float) for i in range(3, 7))
    local[..., :3, 0] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)], -1)
    local[..., :3, 1] = np.stack([2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)], -1)
    local[..., :3, 2] = np.stack([2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)], -1)
    local[..., :3, :3] *= poses[..., None, 7:]
    local[..., :3, 3] = poses[..., :3]
    local[..., 3, 3] = 1
    for joint, parent in enumerate(crowd.skeleton.parents):
        if parent >= 0:
            local[:, joint] = local[:, parent] @ local[:, joint]
    np.testing.assert_allclose(matrices, local, rtol=0, atol=2e-5)


def test_parameters_are_arrays(crowd):
    assert crowd.parameters == {"speed": "float", "mood": "int", "crouch": "bool", "turn": "trigger"}
    assert [crowd[name].dtype for name in crowd.parameters] == [np.float32, np.int32, np.bool_, np.bool_]
    np.testing.assert_array_equal(crowd["mood"], np.full(40, 3))
    crowd["speed"] = SPEEDS[::-1]
    np.testing.assert_array_equal(crowd["speed"], SPEEDS[::-1].astype(np.float32))
    crowd["mood"] = np.arange(40, dtype=np.int8)
    np.testing.assert_array_equal(crowd["mood"], np.arange(40))
    crowd["crouch"] = True
    assert crowd["crouch"].all()
    with pytest.raises(ValueError, match="read-only"):
        crowd["speed"][3] = 1
    with pytest.raises(ValueError, match="read-only"):
        crowd.places[3] = 1


def test_transitions_follow_what_each_was_told(crowd):
    crowd["crouch"] = np.arange(40) % 2 == 0
    crowd["turn"] = np.arange(40) % 3 == 0
    crowd["mood"] = np.where(np.arange(40) == 9, 0, 5)
    crowd.update(1 / 60)
    turned, crouched = np.arange(40) % 3 == 0, np.arange(40) % 2 == 0
    turned[9] = False
    expected = np.where(turned, "turn", np.where(crouched, "crouch", "move"))
    np.testing.assert_array_equal(crowd.states(), expected)
    np.testing.assert_array_equal(crowd.states("upper_body"), np.full(40, ""))
    # Who started a transition has used its trigger up.
    np.testing.assert_array_equal(crowd["turn"], np.arange(40) == 9)


def test_places_are_the_sum_of_root_motion(crowd):
    crowd["speed"] = SPEEDS
    for _ in range(90):
        before = crowd.places
        crowd.update(1 / 60)
        way, axis, w = crowd.root_motion()[:, :3], before[:, 3:6], before[:, 6:]
        cross = 2 * np.cross(axis, way)
        np.testing.assert_allclose(crowd.places[:, :3], before[:, :3] + way + w * cross + np.cross(axis, cross), rtol=0, atol=1e-12)
    assert 3 < crowd.places[-1, 2] < 7 and abs(crowd.places[0, 2]) < 0.1
    crowd.places = np.tile([1, 2, 3, 0, 2.0, 0, 0], (40, 1))
    np.testing.assert_array_equal(crowd.places, np.tile([1, 2, 3, 0, 1.0, 0, 0], (40, 1)))


def test_a_crowd_may_stay_where_it_is(people):
    crowd = run(lissom.Crowd(people, GRAPH, 2, travels=False), 4)
    assert not crowd.places[:, :3].any() and crowd.root_motion()[:, 2].all()


def test_events_are_arrays(crowd):
    crowd["speed"] = 1.4
    told = []
    for _ in range(90):
        crowd.update(1 / 60)
        told.append(crowd.events())
    assert {name: array.dtype.kind for name, array in told[0].items()} == {
        "member": "i", "marker": "U", "clip": "U", "layer": "U", "share": "f", "weight": "f", "lap": "i", "backward": "b",
    }
    everything = {name: np.concatenate([one[name] for one in told]) for name in told[0]}
    steps = (everything["marker"] == "step_left") & (everything["clip"] == "walk")
    # Everybody walks alike, at least one step in a second and a half.
    assert set(everything["member"][steps]) == set(range(40))
    assert set(everything["layer"]) == {"body"} and not everything["backward"].any()
    assert ((everything["share"] >= 0) & (everything["share"] <= 1)).all()


def test_changes_of_states_and_one_shots_are_arrays(crowd):
    crowd.update(1 / 60)
    first = crowd.changes()
    assert {name: array.dtype.kind for name, array in first.items()} == {
        "member": "i", "what": "U", "name": "U", "layer": "U", "share": "f", "weight": "f",
    }
    assert set(first["what"]) == {"entered"} and set(first["member"]) == set(range(40))
    crowd.play("wave", "upper_body", members=[3], fade=0.05, loop=True)
    crowd.update(1 / 60)
    assert (crowd.changes()["what"] == "shot began").sum() == 1
    assert crowd.changes()["name"][0] == "wave" and crowd.changes()["member"][0] == 3
    crowd.stop("upper_body", members=[3])
    crowd.update(0.1)
    ended = crowd.changes()
    assert list(ended["what"]) == ["shot interrupted"] and abs(ended["share"][0] - 0.5) < 1e-6


def test_a_queued_one_shot_begins_when_the_one_before_it_fades_out(crowd):
    crowd.play("wave", "upper_body", members=[3], fade=0.05, fade_out=0.25, at=0.5)
    crowd.play("wave", "upper_body", members=[3], queued=True)
    began, steps = 0, 0
    while began < 2 and steps < 600:
        crowd.update(1 / 60)
        began += (crowd.changes()["what"] == "shot began").sum()
        steps += 1
    # The first one has begun at once, the second one after half of the clip less its fade.
    half = crowd_asset(crowd)["wave"].duration / 2
    assert began == 2 and abs(steps / 60 - (half - 0.25)) < 0.05


def test_a_montage_tells_its_sections(crowd):
    halves = [{"name": "first"}, {"name": "second", "from": 0.5}]
    graph = {**GRAPH, "montages": {"greeting": {"clip": "wave", "sections": halves}}}
    own = lissom.Crowd(crowd_asset(crowd), graph, 4)
    own.play("greeting", "upper_body", members=[2], at=0.4)
    told = []
    for _ in range(60):
        own.update(1 / 60)
        changes = own.changes()
        told += list(changes["name"][changes["what"] == "section began"])
    assert told == ["first", "second"]
    with pytest.raises(KeyError, match="greeting"):
        own.play("greting")


def test_code_goes_to_a_state(crowd):
    crowd.go_to("turn", members=[1, 2], fade=0.1, at=0.25)
    crowd.go_to("crouch", "body", members=[4], inertia=True)
    crowd.update(1 / 60)
    expected = np.full(40, "move", dtype="U6")
    expected[[1, 2]], expected[4] = "turn", "crouch"
    np.testing.assert_array_equal(crowd.states(), expected)


def test_one_shots_come_and_go(crowd):
    before = crowd.matrices()
    crowd.play("wave", "upper_body", members=np.arange(40) < 5, fade=0.05, loop=True)
    crowd.update(0.5)
    other = lissom.Crowd(crowd_asset(crowd), GRAPH, 40)
    other.update(0.5)
    differ = (crowd.matrices() != other.matrices()).any(axis=(1, 2, 3))
    np.testing.assert_array_equal(differ, np.arange(40) < 5)
    crowd.stop("upper_body", members=[0, 1])
    crowd.update(0.5)
    other.update(0.5)
    differ = (crowd.matrices() != other.matrices()).any(axis=(1, 2, 3))
    np.testing.assert_array_equal(differ, (np.arange(40) < 5) & (np.arange(40) > 1))
    assert before.shape == (40, len(crowd.skeleton), 4, 4)


def crowd_asset(crowd):
    return crowd.__reduce__()[1][0]


def test_saves_come_back_to_the_bit(crowd, people):
    run(crowd, SPEEDS)
    saved, shown = crowd.save(), crowd.matrices()
    run(crowd, SPEEDS[::-1])
    later, places = crowd.matrices(), crowd.places
    for other in (crowd, lissom.Crowd(people, GRAPH, 40)):
        other.restore(saved)
        np.testing.assert_array_equal(other.matrices(), shown)
        assert not other.root_motion()[:, :3].any() and len(other.events()["member"]) == 0
        run(other, SPEEDS[::-1])
        np.testing.assert_array_equal(other.matrices(), later)
        np.testing.assert_array_equal(other.places, places)


def test_what_poses_remember_is_shown_and_saved(people):
    """A transition by inertia lives on in the pose: poses, matrices and saves have it in its midst."""
    crowd = lissom.Crowd(people, GRAPH, 2)
    crowd["crouch"] = True
    for _ in range(10):
        crowd.update(0.05)
    crowd["crouch"] = False
    for _ in range(3):
        crowd.update(0.05)
    assert set(crowd.states()) == {"move"}
    saved, poses, matrices = crowd.save(), crowd.poses(), crowd.matrices()
    hips = next(joint for joint, parent in enumerate(crowd.skeleton.parents) if parent == 0)
    root = crowd.skeleton.parents.index(-1)
    np.testing.assert_allclose(matrices[:, hips, :3, 3] - matrices[:, root, :3, 3], poses[:, hips, :3], rtol=0, atol=1e-5)
    other = lissom.Crowd(people, GRAPH, 2)
    assert abs(other.matrices()[0, hips, 1, 3] - matrices[0, hips, 1, 3]) > 0.02
    other.restore(saved)
    np.testing.assert_array_equal(other.matrices(), matrices)
    for one in (crowd, other):
        one.update(0.05)
    np.testing.assert_array_equal(other.matrices(), crowd.matrices())
    np.testing.assert_array_equal(other.poses(), crowd.poses())


def test_crowds_pickle(people):
    crowd = run(lissom.Crowd(people, GRAPH, 5, palettes=True), 2.5)
    other = pickle.loads(pickle.dumps(crowd))
    np.testing.assert_array_equal(other.matrices(), crowd.matrices())
    for one in (crowd, other):
        one.update(0.25)
    np.testing.assert_array_equal(other.palettes(), crowd.palettes())
    assert other.graph == crowd.graph and other.skeleton == crowd.skeleton


@pytest.mark.parametrize("cut", [0, 3, 4, 11, 12, 20, 40, -8, -1])
def test_a_save_that_is_cut_is_refused(crowd, cut):
    saved, shown = crowd.save(), crowd.matrices()
    with pytest.raises(lissom.FormatError, match="saved: "):
        crowd.restore(saved[:cut])
    np.testing.assert_array_equal(crowd.matrices(), shown)


def test_palettes_skin_as_skin_does(people, mannequin):
    crowd = run(lissom.Crowd(people, GRAPH, 2, palettes=True), [1, 3])
    mesh = people.meshes[0]
    binds = mesh.inverse_binds.astype(float)
    expected = (crowd.matrices().astype(float) @ binds)[..., :3, :]
    np.testing.assert_allclose(crowd.palettes(), expected, rtol=0, atol=1e-5)
    # Every vertex, moved by the palette of its joints.
    points = np.concatenate([mesh.positions, np.ones((len(mesh.positions), 1))], axis=1)
    moved = np.einsum("nvkrc,vc,vk->nvr", crowd.palettes().astype(float)[:, mesh.joints], points, mesh.weights)
    skinned = lissom.skin(mesh, crowd.matrices())
    assert skinned.shape == (2, len(mesh.positions), 3)
    np.testing.assert_allclose(moved, skinned, rtol=0, atol=1e-5)
    assert np.abs(skinned[0] - skinned[1]).max() > 0.01


def test_graphs_come_as_names_files_bytes_and_dicts(people, mannequin, tmp_path):
    (tmp_path / "hero.json").write_text(json.dumps(GRAPH))
    (tmp_path / "lissom.toml").write_bytes(b'graphs = ["hero.json"]\n' + RECIPE)
    named = lissom.cook(mannequin, recipe=tmp_path / "lissom.toml", effort="fast")
    assert list(named.graphs) == ["hero"] and people.graphs == {}
    shown = run(lissom.Crowd(people, GRAPH, 1), 2).matrices()
    path = tmp_path / "hero.json"
    for asset, graph in ((named, "hero"), (named, named.graphs["hero"]), (people, path), (people, path.read_bytes())):
        np.testing.assert_array_equal(run(lissom.Crowd(asset, graph, 1), 2).matrices(), shown)
    (tmp_path / "hero.json").write_text(json.dumps(GRAPH).replace('"idle"', '"iddle"'))
    with pytest.raises(lissom.FormatError, match='hero.json: line 1, .*no clip called "iddle"'):
        lissom.cook(mannequin, recipe=tmp_path / "lissom.toml", effort="fast")


def test_an_authored_asset_is_cooked_first(clip):
    asset = lissom.cook(clip)
    graph = {"layers": [{"name": "body", "states": [{"name": "a", "clip": "wander"}]}]}
    assert lissom.Crowd(asset, graph, 2).poses().shape == (2, 4, 10)
    bvh = b"HIERARCHY ROOT hips { OFFSET 0 1 0 CHANNELS 1 Xposition } MOTION Frames: 3 Frame Time: 0.5 0 1 2"
    graph["layers"][0]["states"][0]["clip"] = "walk"
    crowd = lissom.Crowd(lissom.open(bvh, name="walk.bvh"), graph, 2)
    crowd.update(0.5)
    np.testing.assert_allclose(crowd.matrices()[:, 0, 0, 3], 1, rtol=0, atol=1e-3)


def test_nobody_is_a_crowd(people):
    crowd = lissom.Crowd(people, GRAPH, 0)
    joints = len(crowd.skeleton)
    crowd["speed"] = 3
    crowd["turn"] = np.zeros(0, dtype=bool)
    crowd.update(1)
    shapes = [crowd.poses().shape, crowd.matrices().shape, crowd.places.shape, crowd["speed"].shape, crowd.states().shape]
    assert shapes == [(0, joints, 10), (0, joints, 4, 4), (0, 7), (0,), (0,)]
    crowd.restore(crowd.save())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda c: c.update(-1), ValueError, "dt: found -1, expected seconds"),
        (lambda c: c.update(np.nan), ValueError, "dt: found NaN, expected"),
        (lambda c: c["sped"], KeyError, 'there is no parameter "sped" .did you mean "speed"'),
        (lambda c: c.__setitem__("speed", [1, 2]), ValueError, r"speed: found the shape \(2,\), expected one value or \(40,\)"),
        (lambda c: c.__setitem__("speed", np.nan), ValueError, r"speed: found NaN at \(\), expected finite"),
        (lambda c: c.__setitem__("speed", 1e39), ValueError, "speed: found 1e39, expected numbers that float32 can hold"),
        (lambda c: c.__setitem__("speed", "much"), ValueError, "speed: found an array of dtype <U4, expected"),
        (lambda c: c.__setitem__("mood", 1.5), ValueError, "mood: found 1.5, expected whole numbers"),
        (lambda c: c.__setitem__("mood", np.full(40, 2**31)), ValueError, r"mood: found 2147483648.0 at \(0,\), expected"),
        (lambda c: c.__setitem__("turn", 1), ValueError, "turn: found an array of dtype int64, expected True and False"),
        (lambda c: setattr(c, "places", np.zeros((40, 3))), ValueError, r"places: found the shape \(40, 3\), expected \(40, 7\)"),
        (lambda c: setattr(c, "places", np.zeros((40, 7))), ValueError, r"places: found a rotation of length 0 at \(0,\)"),
        (lambda c: c.palettes(), ValueError, "palettes: found False where the crowd was made, expected True"),
        (lambda c: c.states("legs"), KeyError, "there is no layer"),
        (lambda c: c.play("idel"), KeyError, "there is no clip .*idle"),
        (lambda c: c.play("wave", "legs"), KeyError, "there is no layer"),
        (lambda c: c.play("wave", members=[40]), ValueError, "members: found 40, expected 0 to 39"),
        (lambda c: c.play("wave", members=[-1]), ValueError, "members: found -1, expected 0 to 39"),
        (lambda c: c.play("wave", members=[True, False]), ValueError, r"members: found a mask of the shape \(2,\)"),
        (lambda c: c.play("wave", speed=0), ValueError, "speed: found 0, expected"),
        (lambda c: c.play("wave", fade=-1), ValueError, "fade: found -1, expected"),
        (lambda c: c.play("wave", fade_out=-1), ValueError, "fade_out: found -1, expected"),
        (lambda c: c.play("wave", at=2), ValueError, "at: found 2, expected"),
        (lambda c: c.go_to("trun"), KeyError, "there is no state .*turn"),
        (lambda c: c.go_to("turn", "legs"), KeyError, "there is no layer"),
        (lambda c: c.go_to("turn", "upper_body"), KeyError, "there is no state"),
        (lambda c: c.go_to("turn", fade=float("inf")), ValueError, "fade: found inf, expected"),
        (lambda c: c.go_to("turn", at=1.5), ValueError, "at: found 1.5, expected"),
        (lambda c: c.go_to("turn", members=[40]), ValueError, "members: found 40, expected 0 to 39"),
        (lambda c: c.restore(b"something"), lissom.FormatError, "saved: these are not"),
        (lambda c: c.restore(lissom.Crowd(crowd_asset(c), GRAPH, 2).save()), ValueError, "saved: found a crowd of 2, expected one of 40"),
        (lambda c: c.restore(lissom.Crowd(crowd_asset(c), {"layers": [{"name": "body", "states": [{"name": "walk", "clip": "walk"}]}]}, 40).save()), ValueError, "saved: found a crowd of another graph"),
        (lambda c: lissom.Crowd(crowd_asset(c), "hero", 1), KeyError, "there is no graph .*hero"),
        (lambda c: lissom.Crowd(crowd_asset(c), {"layers": 3}, 1), lissom.FormatError, "graph: line 1, column"),
        (lambda c: lissom.Crowd(crowd_asset(c), pathlib.Path("nowhere.json"), 1), FileNotFoundError, "nowhere.json"),
        (lambda c: lissom.Crowd(crowd_asset(c), 3, 1), TypeError, "graph: found"),
        (lambda c: lissom.Crowd(crowd_asset(c), GRAPH, 10**9), ValueError, "count: found 1000000000, expected at most"),
        (lambda c: lissom.Crowd(crowd_asset(c), GRAPH, 1, skeleton="other"), KeyError, "there is no skeleton"),
    ],
)
def test_what_cannot_be_meant_is_refused(crowd, call, error, message):
    shown = crowd.matrices()
    with pytest.raises(error, match=message):
        call(crowd)
    np.testing.assert_array_equal(crowd.matrices(), shown)


@settings(max_examples=60, deadline=None)
@given(
    values=st.one_of(
        arrays.arrays(
            st.sampled_from([np.float64, np.float32, np.int16, np.uint8, np.bool_]),
            arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
        ),
        st.floats(),
        st.integers(),
        st.lists(st.floats(-10, 10), max_size=4),
    ),
    name=st.sampled_from(["speed", "mood", "crouch", "turn"]),
)
def test_any_value_is_set_or_refused(small, values, name):
    """Of any shape, dtype and size: what is taken is what is read back, what is refused changes nothing."""
    before = small[name]
    try:
        small[name] = values
    except (ValueError, OverflowError):
        np.testing.assert_array_equal(small[name], before)
    else:
        expected = np.broadcast_to(np.asarray(values), (3,)).astype(before.dtype)
        np.testing.assert_array_equal(small[name], expected)


@pytest.fixture(scope="module")
def small(people):
    return lissom.Crowd(people, GRAPH, 3)


def test_threads_may_share_a_crowd(crowd):
    """Updates of several threads come one after the other, and other threads run meanwhile."""
    workers = [threading.Thread(target=lambda: [crowd.update(1 / 240) for _ in range(15)]) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    other = lissom.Crowd(crowd_asset(crowd), GRAPH, 40)
    for _ in range(60):
        other.update(1 / 240)
    np.testing.assert_array_equal(crowd.matrices(), other.matrices())
