"""Motion matching as arrays: what frames are, what a search finds, and what adds to a cost."""

import lissom
import numpy as np
import pytest

RECIPE = b"""clip = ["idle", "walk", "run", "strafe_left"]
[clips."*"]
root-motion = true
[matching.locomotion]
clips = ["idle", "walk", { clip = "run", tags = ["fast"] }, "strafe_left"]
mirrored = true
"""


@pytest.fixture(scope="module")
def database(mannequin):
    return lissom.cook(mannequin, recipe=RECIPE, effort="fast").matching["locomotion"]


def test_a_database_tells_what_it_has(database, mannequin):
    assert mannequin.matching == {}
    assert (database.name, database.rate, database.tags) == ("locomotion", 30.0, ["fast"])
    assert len(database.clips) == 8 and "walk_mirrored" in database.clips
    assert len(database.features) == 27 and database.features[0].endswith(", x")
    places = database.places()
    assert [len(column) for column in places.values()] == [len(database)] * 3
    copies = np.array([name.endswith("_mirrored") for name in database.clips])
    np.testing.assert_array_equal(copies[places["clip"]], places["mirrored"])
    frame = database.frame_at("walk", 0.5)
    there = database.places(frame)
    assert database.clips[there["clip"]] == "walk" and there["time"] == pytest.approx(0.5, abs=0.5 / 30)
    assert repr(database) == f"<Matching \"locomotion\": {len(database)} frames of 8 clips, 27 features>"


def test_a_search_finds_what_all_costs_say(database):
    rng = np.random.default_rng(5)
    values = database.values()
    assert values.shape == (len(database), 27) and values.dtype == np.float32
    # Beside a frame by some tenths of a deviation in each feature.
    noise = rng.normal(size=(200, 27)).astype(np.float32) * 0.3 / database.scales
    queries = values[rng.integers(len(database), size=200)] + noise
    costs = database.costs(queries)
    assert costs.shape == (200, len(database))
    # The costs are those of plain arithmetic, to the rounding of 16-bit features.
    difference = (queries[:, None] - values[None]) * database.scales
    plain = (difference**2).sum(axis=2)
    near = plain < 50
    assert near.sum() > 1000
    np.testing.assert_allclose(costs[near], plain[near], atol=0.4, rtol=0.05)
    # And what is found is the least of those that may be found: the ends of clips may not.
    found = database.search(queries)
    np.testing.assert_array_equal(found["cost"], costs[np.arange(200), found["frame"]])
    places, may = database.places(), np.ones(len(database), bool)
    for clip in range(len(database.clips)):
        of_clip = np.flatnonzero(places["clip"] == clip)
        times = places["time"][of_clip]
        may[of_clip[times > times[-1] - 0.32]] = False
    assert not (~may)[found["frame"]].any()
    np.testing.assert_array_equal(found["frame"], np.where(may, costs, np.inf).argmin(axis=1))
    assert not found["stays"].any()


def test_tags_and_what_plays_are_kept_to(database):
    here = database.frame_at("walk", 0.3)
    query = database.values(here)
    assert query.shape == (27,)
    kept = database.search(query, playing=here)
    assert kept["frame"].shape == () and kept["frame"] == here and kept["stays"] and kept["cost"] == 0
    fast = database.search(query, tags=["fast"], playing=here)
    assert database.clips[database.places(fast["frame"])["clip"]].startswith("run") and not fast["stays"]
    # Another frame is found only for what it is worth.
    other = database.values(database.frame_at("run", 0.2))
    assert not database.search(other, playing=here)["stays"]
    assert database.search(other, playing=here, transition_cost=1e4)["stays"]
    many = database.search([query, other], playing=[here, here])
    np.testing.assert_array_equal(many["stays"], [True, False])


def test_a_cost_is_explained(database):
    query = database.values(database.frame_at("walk", 0.3))
    query[[name.startswith("trajectory") for name in database.features]] *= 2
    told = database.explain(query, best=5)
    assert told["frame"][0] == database.search(query)["frame"]
    assert (np.diff(told["cost"]) >= 0).all() and told["by_group"].shape == (5, len(database.groups))
    for by in ("by_group", "by_feature"):
        np.testing.assert_allclose(told[by].sum(axis=1) + told["bias"], told["cost"], rtol=1e-3, atol=1e-3)
    summed = np.zeros_like(told["by_group"])
    np.add.at(summed.T, database.group_of, told["by_feature"].T)
    np.testing.assert_allclose(summed, told["by_group"], rtol=1e-4, atol=1e-4)
    assert len(database.explain(query, best=10**9)["frame"]) < len(database)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda d: d.search(np.zeros(26)), "values: found an array of shape (26,), expected (27,)"),
        (lambda d: d.search(np.full(27, np.nan)), "values: found NaN at (0,), expected finite numbers"),
        (lambda d: d.search(np.zeros(27), tags=["wild"]), "there is no tag called"),
        (lambda d: d.search(np.zeros(27), playing=-1), "playing: found -1, expected a frame from 0"),
        (lambda d: d.search(np.zeros((2, 27)), playing=[1, 2, 3]), "playing: found 3 frames"),
        (lambda d: d.search(np.zeros(27), playing=0, transition_cost=-1), "a transition cannot cost -1"),
        (lambda d: d.search(np.zeros(27), playing=0, zone=-1), "zone: found -1"),
        (lambda d: d.values(0.5), "frames: found 0.5"),
        (lambda d: d.frame_at("swim", 0), 'clip: found "swim"'),
        (lambda d: d.frame_at("walk", 99), "time: found 99"),
        (lambda d: d.explain(np.zeros((2, 27))), "values: found 2 rows, expected one row"),
    ],
)
def test_what_cannot_be_meant_is_said(database, call, says):
    with pytest.raises(ValueError) as error:
        call(database)
    assert says in str(error.value)
