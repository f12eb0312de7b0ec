import os
import pathlib
from collections.abc import Sequence
from typing import Any, Literal, TypedDict, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Asset",
    "Clip",
    "Crowd",
    "FormatError",
    "Marker",
    "Matching",
    "Mesh",
    "Skeleton",
    "Track",
    "__version__",
    "_run_command",
    "cook",
    "cook_file",
    "open",
    "plan",
    "skin",
]
__version__: str

_Order = Literal["built", "raw"]
_Effort = Literal["fast", "default", "max"]
_StrPath = str | os.PathLike[str]
_Buffer = bytes | bytearray | memoryview

class FormatError(ValueError): ...

class _ClipReport(TypedDict):
    name: str
    duration: float
    bytes: int
    raw_bytes: int
    ratio: float
    worst: float
    p99: float
    mean: float
    worst_joint: str
    worst_time: float
    within: bool
    rounds: int

class _RootMotion(TypedDict, total=False):
    joint: str
    axes: str
    turn: bool
    reference: Literal["first", "rest", "origin"]
    bake: bool
    loop: bool

class _Contacts(TypedDict, total=False):
    height: float
    speed: float
    feet: tuple[str, str] | list[str]

@final
class Skeleton:
    """Joints, their parents and their rest pose.

    Arrays and lists stand in *built* order: parents before children, depth first, as games have it. Files keep their
    own *raw* order; `order="raw"` asks for that, `raw_of_joint` and `joint_of_raw` lead from one to the other.

    >>> body = lissom.Skeleton(["hips", "knee"], [-1, 0], [[0, 1, 0], [0, -0.5, 0]])
    >>> body.names, body.parents
    (['hips', 'knee'], [-1, 0])
    """
    def __new__(
        cls,
        names: Sequence[str],
        parents: Sequence[int],
        translations: ArrayLike,
        rotations: ArrayLike | None = None,
        *,
        name: str = "",
    ) -> Skeleton: ...
    @property
    def name(self) -> str:
        """May be empty."""
    @property
    def names(self) -> list[str]:
        """The joints' names, in built order."""
    @property
    def raw_names(self) -> list[str]:
        """The joints' names, in raw order."""
    @property
    def parents(self) -> list[int]:
        """Each joint's parent, in built order; -1 for a root."""
    @property
    def raw_of_joint(self) -> list[int]:
        """The place in the file of each joint."""
    @property
    def joint_of_raw(self) -> list[int]:
        """The joint that each joint of the file became."""
    def rest(self, *, order: _Order = "built") -> NDArray[np.float64]:
        """The rest pose, (joints, 10): translation, rotation (x, y, z, w), scale, each in its parent's space."""
    def index(self, name: str) -> int:
        """The joint of this name, in built order; `KeyError` says which names are near. The names of all joints are in `names`.

        >>> lissom.Skeleton(["hips", "knee"], [-1, 0], [[0, 1, 0], [0, -0.5, 0]]).index("knee")
        1
        """
    def children(self, joint: str | int | None = None) -> list[int]:
        """The joints that hang on a joint, in built order: those of its name or number, or the roots of None.

        >>> lissom.Skeleton(["hips", "knee"], [-1, 0], [[0, 1, 0], [0, -0.5, 0]]).children("hips")
        [1]
        """
    def __len__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Clip:
    """A motion of a skeleton.

    A clip of an authored file is evaluated exactly, in float64. A clip of an archive is played as a game plays it, in
    float32.

    >>> import numpy
    >>> body = lissom.Skeleton(["hips", "knee"], [-1, 0], [[0, 1, 0], [0, -0.5, 0]])
    >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (31, 2, 1)), rate=30)
    >>> clip.duration, clip.sample([0, 0.5, 1]).shape
    (1.0, (3, 2, 10))
    """
    @property
    def name(self) -> str:
        """Its name."""
    @property
    def duration(self) -> float:
        """Seconds."""
    @property
    def rate(self) -> float | None:
        """Frames per second, if its keys lie at an even rate; None if they do not. A rate that a file rounds is the whole number that
        it means: 120.0 for BVH's `Frame Time: 0.0083333`.
        """
    @property
    def frames(self) -> int | None:
        """How many frames it has at its own `rate`; None if its keys are not even. `clip.positions(rate=None)` is frame by frame."""
    @property
    def looping(self) -> bool:
        """True if the last pose is the first one again."""
    @property
    def cooked(self) -> bool:
        """True if it is played as a game plays it, False if it is as authored."""
    @property
    def skeleton(self) -> Skeleton:
        """The joints that it moves."""
    @property
    def tracks(self) -> list[Track]:
        """Numbers that change along with it."""
    @property
    def markers(self) -> list[Marker]:
        """Its named moments, rising in time."""
    def sample(
        self,
        times: ArrayLike,
        *,
        space: Literal["local", "model"] = "local",
        matrices: bool | None = None,
        order: _Order = "built",
    ) -> NDArray[Any]:
        """Poses at times in seconds, in any order; times outside of the clip are its ends.

        `space="local"` gives (times, joints, 10): translation, rotation (x, y, z, w) and scale in the parent's space;
        `matrices=True` gives 4×4 matrices instead. `space="model"` gives the matrices (times, joints, 4, 4) that games
        see, float32. A single number gives one pose, without the first axis.
        """
    def positions(self, rate: float | None = 30.0, *, order: _Order = "built") -> NDArray[Any]:
        """Where every joint stands in model space, (frames, joints, 3), in metres, from the start to the end. `rate` is frames per
        second: 30 by default, whatever the file has; None is the clip's own frames. Of an authored clip in float64.
        """
    def velocities(self, rate: float | None = 30.0, *, order: _Order = "built") -> NDArray[Any]:
        """How fast every joint goes in model space, (frames, joints, 3), in metres per second, at the frames of
        `positions(rate)`: half of the way from the frame before to the frame after, per frame; at the ends from one side. A clip
        of one frame has none: zeros.

        >>> import numpy
        >>> body = lissom.Skeleton(["hips"], [-1], [[0, 1, 0]])
        >>> way = numpy.linspace([[0, 1, 0]], [[0, 1, 2]], 31)
        >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (31, 1, 1)), way)
        >>> bool(numpy.allclose(clip.velocities()[:, 0], [0, 0, 2]))
        True
        """
    def times(self, rate: float | None = 30.0) -> NDArray[np.float64]:
        """The times of frames, `rate` per second (30 by default; None is the clip's own frames), from the start to the end."""
    def root_motion(self, rate: float | None = 30.0, *, joint: str | None = None) -> NDArray[np.float64]:
        """Where the clip carries its character, (frames, 7): a place on the ground and a turn about y (x, y, z, w), counted from
        the first pose, `rate` frames per second (None: its own) from the start to the end.

        A clip that has root motion beside it (tracks `root/translation` and `root/rotation`) says it by these. Of another it is
        seen from the joint that carries it, or from `joint`. `edit(root_motion=…)` takes it out of the motion.

        >>> import numpy
        >>> body = lissom.Skeleton(["hips"], [-1], [[0, 1, 0]])
        >>> way = numpy.linspace([[0, 1, 0]], [[0, 1, 2]], 31)
        >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (31, 1, 1)), way)
        >>> clip.root_motion(rate=2)[:, 2]
        array([0., 1., 2.])
        """
    def contacts(
        self,
        *,
        height: float | None = None,
        speed: float | None = None,
        feet: tuple[str, str] | list[str] | None = None,
    ) -> dict[Literal["left", "right"], NDArray[np.float64]]:
        """When feet stand: for `"left"` and `"right"` an array (contacts, 2) of seconds, from and to, rising.

        A foot stands while its heel or toes are low and go with the ground, which is seen from the feet, so that a walk on the spot
        has contacts too. `height` (metres) and `speed` (metres per second) are bounds; without them they are 0.04 and 0.43 for legs of
        0.9 m, and scale with the legs. `feet` names two joints, left and right, or patterns of names, where the names of humans
        do not tell. `edit(contacts=…)` makes markers of them, `edit(gait=True)` tracks of phase and speed.

        >>> import numpy
        >>> body = lissom.Skeleton(["hips", "l", "r"], [-1, 0, 0], [[0, 0.9, 0], [0.1, -0.9, 0], [-0.1, -0.9, 0]])
        >>> place = numpy.tile(body.rest()[:, :3], (61, 1, 1))
        >>> place[20:35, 1] += numpy.sin(numpy.linspace(0, numpy.pi, 15))[:, None] * [0, 0.3, 0]
        >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (61, 3, 1)), place)
        >>> contacts = clip.contacts(feet=("l", "r"))
        >>> contacts["left"].shape, contacts["right"]
        ((2, 2), array([[0., 2.]]))
        """
    def retarget(
        self, skeleton: Skeleton, *, hands: bool = False, feet: bool = False, bones: dict[str, str] | None = None
    ) -> Clip:
        """The motion on another skeleton, both of humans, as their joints' names tell: turns go from bone to bone, the hips' way is
        that of longer or shorter legs. `hands` and `feet` keep these where the source has them; feet then do not slide.

        Bones without a counterpart rest, and one `UserWarning` names them. `bones` says which joint a bone is where names do not:
        `{"left_hand": "Fist.L"}`, of one skeleton only `{"source.left_hand": "Fist.L"}` or `"target.left_hand"`; `""` is no joint.
        The clip is authored, even if this one is cooked.
        """
    @staticmethod
    def from_arrays(
        skeleton: Skeleton,
        rotations: ArrayLike,
        translations: ArrayLike | None = None,
        rate: float = 30.0,
        *,
        name: str = "clip",
        order: _Order = "built",
        looping: bool = False,
    ) -> Clip:
        """A clip of arrays: `rotations` (frames, joints, 4) as x, y, z, w, of any length but 0; `translations` (frames,
        joints, 3) or None for those of the rest pose; `rate` frames per second.

        Joints stand in built order, or in the skeleton's raw order. Between frames rotations take the shorter way.
        """
    def edit(
        self,
        *,
        trim: tuple[float | None, float | None] | None = None,
        rate: float | None = None,
        reverse: bool = False,
        mirror: bool | Literal["x", "y", "z"] | None = None,
        root_motion: bool | str | _RootMotion | None = None,
        in_place: bool | Literal["drift"] | None = None,
        loop: bool | Literal["auto", "close"] | None = None,
        contacts: bool | _Contacts | None = None,
        gait: bool = False,
        name: str | None = None,
        events: dict[str, ArrayLike] | list[Marker] | None = None,
    ) -> Clip:
        """Another clip: this one edited as recipes edit clips, always in the order of the arguments here. It is authored, even
        if this one is cooked.

        `trim=(0.5, 1.7)` keeps a part, in seconds; None is the clip's own end. `rate` gives it keys at that rate. `reverse`
        turns time round. `mirror=True` makes left right (an axis other than "x" may be named). `root_motion=True` takes where the
        motion leads out of the joint that carries it, into two tracks beside the clip; a joint may be named, or more be said as a
        dict of `joint`, `axes` ("xz"), `turn`, `reference` ("first", "rest", "origin"), `bake`, `loop`. `in_place=True` takes travel
        over the ground out, "drift" only its straight line. `loop` is True (refused where the last pose is not the first),
        False, "auto" or "close" (made to be one). `contacts=True` marks when feet stand and step, a dict says what `Clip.contacts`
        takes; `gait=True` adds the tracks `gait/phase` and `gait/speed`. `name` may have a `*` for the old one. `events` adds markers:
        `{"step": [0.2, 0.8]}`, or a list of `Marker`. A clip as the difference to another is made where clips are cooked:
        `lissom.cook(file, recipe=…)`.

        >>> import numpy
        >>> body = lissom.Skeleton(["hips"], [-1], [[0, 1, 0]])
        >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (31, 1, 1)), name="still")
        >>> clip.edit(trim=(0.25, 0.75), mirror=True, name="short *").duration
        0.5
        """
    def export_bvh(self, path: _StrPath) -> None:
        """Writes the motion as BVH, in metres, y up."""

@final
class Track:
    """Numbers that change along with a clip: a morph weight, a colour, "the foot is on the ground".

    Keys stand at *ratios* of the clip's duration, in [0, 1].
    """
    @property
    def name(self) -> str:
        """`morph/MESH/TARGET` for a morph weight."""
    @property
    def kind(self) -> Literal["float", "float2", "float3", "float4", "quat"]:
        """`"float"`, `"float2"`, `"float3"`, `"float4"` or `"quat"`."""
    @property
    def ratios(self) -> NDArray[np.float64]:
        """The ratios of the keys, rising."""
    @property
    def values(self) -> NDArray[np.float64]:
        """The values of the keys, (keys, components)."""
    def sample(self, ratios: ArrayLike) -> NDArray[Any]:
        """Values at ratios of the duration, (ratios, components). Ratios outside of [0, 1] are its ends."""

@final
class Marker:
    """A named moment of a clip."""
    def __new__(cls, name: str, time: float, duration: float = 0.0) -> Marker: ...
    def __eq__(self, value: object, /) -> bool: ...
    @property
    def name(self) -> str:
        """Not empty."""
    @property
    def time(self) -> float:
        """Seconds."""
    @property
    def duration(self) -> float:
        """How long it lasts, in seconds; 0 for a moment."""

class _Places(TypedDict):
    clip: NDArray[np.int64]
    time: NDArray[np.float32]
    mirrored: NDArray[np.bool_]

class _Found(TypedDict):
    frame: NDArray[np.int64]
    cost: NDArray[np.float32]
    stays: NDArray[np.bool_]

class _Costs(TypedDict):
    frame: NDArray[np.int64]
    cost: NDArray[np.float32]
    by_group: NDArray[np.float32]
    by_feature: NDArray[np.float32]
    bias: NDArray[np.float32]

@final
class Matching:
    """A database for motion matching: frames of clips, each described by features, and an exact search among them.

    `Asset.matching` has those of an archive. Values are in metres, metres per second and the units of tracks, in the order of
    `features`; everything is in the character's frame: x to its left, z ahead. Costs are in squared deviations.

    ```python
    database = lissom.open("hero.lsm").matching["locomotion"]
    here = database.frame_at("walk", 1.2)
    query = database.values(here)
    query[[name.startswith("trajectory") for name in database.features]] *= 1.5
    found = database.search(query, playing=here)
    ```
    """
    def __len__(self) -> int: ...
    @property
    def name(self) -> str:
        """What the recipe calls it."""
    @property
    def rate(self) -> float:
        """Frames a second."""
    @property
    def features(self) -> list[str]:
        """What a value is: "position of left_foot, x"."""
    @property
    def groups(self) -> list[str]:
        """Features that are weighed together."""
    @property
    def group_of(self) -> NDArray[np.int64]:
        """The number of each feature's group."""
    @property
    def scales(self) -> NDArray[np.float32]:
        """What a value is multiplied by before values are compared: its weight over its standard deviation."""
    @property
    def tags(self) -> list[str]:
        """The tags that frames can have."""
    @property
    def clips(self) -> list[str]:
        """The clips that frames are of."""
    def places(self, frames: ArrayLike | None = None) -> _Places:
        """Where frames are: numbers in `clips`, seconds, and whether the clip is a mirrored copy. Of all frames, if none are given."""
    def frame_at(self, clip: str, time: float) -> int:
        """The frame of a clip at a time in seconds."""
    def values(self, frames: ArrayLike | None = None) -> NDArray[np.float32]:
        """What is known of frames, (frames, features): all frames, if none are given. One frame gives one row."""
    def search(
        self,
        values: ArrayLike,
        *,
        tags: Sequence[str] = ...,
        playing: ArrayLike | None = None,
        zone: float = ...,
        transition_cost: float = 0.0,
    ) -> _Found:
        """The frame of least cost for each row of values: `frame`, `cost`, and `stays`, true where it is the frame that plays.
        One row gives one number each. Of equal frames the lowest is found; the answer is the same on every machine.

        Only frames with all of `tags` are found. `playing` is the frame that plays, or one for each row: it is kept unless
        another costs less by more than `transition_cost`, and none is found within `zone` seconds of it.
        """
    def costs(self, values: ArrayLike, frames: ArrayLike | None = None) -> NDArray[np.float32]:
        """What each frame costs for each row of values, (queries, frames); one row gives (frames,). All frames, if none are given,
        also those that no search may find.
        """
    def explain(
        self,
        values: ArrayLike,
        *,
        best: int = 10,
        tags: Sequence[str] = ...,
        playing: ArrayLike | None = None,
        zone: float = ...,
    ) -> _Costs:
        """The `best` frames for one row of values, the best first, and what adds to their costs: `frame`, `cost`, `by_group`
        (best, groups), `by_feature` (best, features), and `bias`, what the recipe makes a frame cost. The arguments are those of
        `search`.
        """

class _Events(TypedDict):
    member: NDArray[np.int64]
    marker: NDArray[np.str_]
    clip: NDArray[np.str_]
    layer: NDArray[np.str_]
    share: NDArray[np.float32]
    weight: NDArray[np.float32]
    lap: NDArray[np.int64]
    backward: NDArray[np.bool_]

class _Changes(TypedDict):
    member: NDArray[np.int64]
    what: NDArray[np.str_]
    name: NDArray[np.str_]
    layer: NDArray[np.str_]
    share: NDArray[np.float32]
    weight: NDArray[np.float32]

@final
class Crowd:
    """Many characters of one skeleton that one graph plays: `count` states, parameters and poses as arrays.

    `asset` has the clips; one that is not cooked is cooked as `asset.save` does it. `graph` is the name of one of its graphs
    (`asset.graphs`), or a description of one: a dict, the bytes of a JSON file, or its `pathlib.Path` (docs/GRAPHS.md). `skeleton`
    names one of several. Root motion moves `places`, unless `travels=False`. `palettes=True` keeps skinning matrices too.

    Parameters are read and set by name, for all members: `crowd["speed"]`. A trigger is set by True, and taken away by the
    transition that it starts. What is read is a copy, and cannot be written to.

    What a member shows depends on nothing but what it was told and the steps, to the bit: not on threads, nor on how many others
    there are. It is what a game shows.

    >>> import numpy
    >>> body = lissom.Skeleton(["hips"], [-1], [[0, 1, 0]])
    >>> still, turn = numpy.tile([0, 0, 0, 1.0], (31, 1, 1)), numpy.tile([0, 1.0, 0, 0], (31, 1, 1))
    >>> clips = [lissom.Clip.from_arrays(body, q, name=n, looping=True) for n, q in (("still", still), ("turn", turn))]
    >>> states = [{"name": "all", "line": "speed", "points": [{"at": 0, "clip": "still"}, {"at": 1, "clip": "turn"}]}]
    >>> graph = {"parameters": {"speed": {"float": 0}}, "layers": [{"name": "body", "states": states}]}
    >>> crowd = lissom.Crowd(lissom.cook(clips), graph, 3)
    >>> crowd["speed"] = [0, 0.5, 1]
    >>> crowd.update(1 / 60)
    >>> crowd.poses().shape, crowd.matrices().shape, crowd.states().tolist()
    ((3, 1, 10), (3, 1, 4, 4), ['all', 'all', 'all'])
    """
    def __new__(
        cls,
        asset: Asset,
        graph: str | dict[str, Any] | bytes | os.PathLike[str],
        count: int,
        *,
        skeleton: str | None = None,
        travels: bool = True,
        palettes: bool = False,
    ) -> Crowd: ...
    def __len__(self) -> int: ...
    @property
    def skeleton(self) -> Skeleton:
        """The joints of each member."""
    @property
    def graph(self) -> dict[str, Any]:
        """The description of the graph, as docs/GRAPHS.md says it."""
    @property
    def parameters(self) -> dict[str, Literal["float", "int", "bool", "trigger", "curve"]]:
        """What may be set, and its kind: `"float"`, `"int"`, `"bool"` or `"trigger"`; a `"curve"` is set by the clips."""
    def __getitem__(self, key: str, /) -> NDArray[Any]: ...
    def __setitem__(self, key: str, value: ArrayLike, /) -> None: ...
    def update(self, dt: float) -> None:
        """Advances all characters by `dt` seconds, on all cores, without the GIL."""
    def matrices(self) -> NDArray[np.float32]:
        """Model-space matrices, (count, joints, 4, 4), float32."""
    def poses(self) -> NDArray[np.float32]:
        """Local poses, (count, joints, 10): translation, rotation (x, y, z, w) and scale in the parent's space, float32. They are
        made when they are asked for: who wants matrices alone saves their cost.
        """
    def palettes(self) -> NDArray[np.float32]:
        """Skinning matrices of the skeleton's first mesh, (count, joints, 3, 4), float32; without a mesh relative to the rest pose."""
    @property
    def places(self) -> NDArray[np.float64]:
        """Where everybody stands, (count, 7): x, y, z in metres and a rotation (x, y, z, w), float64. Root motion moves it; it may be set."""
    @places.setter
    def places(self, value: ArrayLike, /) -> None: ...
    def root_motion(self) -> NDArray[np.float64]:
        """The step that everybody made in the last update, (count, 7), in the space that each stood in: a way in metres and a rotation (x, y,
        z, w), float64.
        """
    def events(self) -> _Events:
        """The markers that were passed in the last update, as arrays of one length: `member`, `marker` (its name), `clip`, `layer`, `share`
        (when in the step: 0 at its start, 1 at its end), `weight` (how much of the clip is seen), `lap`, `backward`. By member, then by time.
        """
    def changes(self) -> _Changes:
        """What states and one-shots did in the last update, as arrays of one length: `member`, `what` ("entered", "left", "finished",
        "transition started", "transition ended", "shot began", "shot ended", "shot interrupted", "section began"), `name` (the state's or
        the section's; of a one-shot its clip's), `layer`, `share` and `weight` as in `events`. By member, then by time.
        """
    def states(self, layer: str | None = None) -> NDArray[np.str_]:
        """The state that leads in everybody's layer, (count,), by name; the lowest layer unless told. A layer without states has ""."""
    def play(
        self,
        clip: str,
        layer: str | None = None,
        *,
        members: ArrayLike | None = None,
        fade: float = 0.2,
        fade_out: float | None = None,
        speed: float = 1.0,
        loop: bool = False,
        at: float = 0.0,
        queued: bool = False,
        inertia: bool = False,
    ) -> None:
        """Plays a montage, or a clip that the graph lists, over a layer, the highest unless told, from the next update on. `members` are their
        numbers, or a mask (count,); everybody unless told. It comes and goes in `fade` seconds, or goes in `fade_out`; with `loop` a clip
        repeats until `stop`. It starts at `at`, a share of the clip; with `queued`, when the one before it fades out. With `inertia` it is
        there alone at once, and the difference to the old motion fades out.
        """
    def go_to(
        self,
        state: str,
        layer: str | None = None,
        *,
        members: ArrayLike | None = None,
        fade: float = 0.2,
        inertia: bool = False,
        at: float = 0.0,
    ) -> None:
        """Goes to a state of a layer, the lowest unless told, with the next update, whatever transitions say. `members` as in `play`. It takes
        `fade` seconds; with `inertia` the state plays alone at once, and the difference to the old motion fades out. `at` is where it starts,
        as a share of its lap.
        """
    def stop(self, layer: str | None = None, *, members: ArrayLike | None = None) -> None:
        """Lets what `play` started in a layer go."""
    def save(self) -> bytes:
        """All that decides what comes, as bytes: states, what poses remember, and places. From there on the same parameters and steps give the same bits."""
    def restore(self, saved: bytes) -> None:
        """Puts back what `save` gave, of a crowd of as many and of the same graph. Poses are then those of that moment; events and
        root motion are empty until the next update.
        """

@final
class Mesh:
    """A triangle mesh bound to a skeleton: every vertex follows one joint or many, by weights.

    Vertices stand in the space of the bind pose, in metres.
    """
    @property
    def name(self) -> str:
        """Its name."""
    @property
    def skeleton(self) -> Skeleton:
        """The joints that it follows."""
    @property
    def positions(self) -> NDArray[np.float32]:
        """(vertices, 3)"""
    @property
    def normals(self) -> NDArray[np.float32]:
        """(vertices, 3), of unit length."""
    @property
    def triangles(self) -> NDArray[np.uint32]:
        """(triangles, 3), counter-clockwise from outside."""
    @property
    def joints(self) -> NDArray[np.uint16]:
        """The joints that each vertex follows, in built order, (vertices, influences)."""
    @property
    def weights(self) -> NDArray[np.float32]:
        """How much it follows each, (vertices, influences); they sum to 1."""
    @property
    def inverse_binds(self) -> NDArray[np.float32]:
        """From mesh space to each joint's space in the bind pose, in built order, (joints, 4, 4)."""

@final
class Asset:
    """What a file holds: skeletons, clips, meshes, tracks and markers.

    >>> bvh = b"HIERARCHY ROOT hips { OFFSET 0 1 0 CHANNELS 1 Xposition } MOTION Frames: 3 Frame Time: 0.5 0 1 2"
    >>> asset = lissom.open(bvh, name="walk.bvh")
    >>> asset["walk"].duration
    1.0
    """
    @property
    def name(self) -> str:
        """What the file is called."""
    @property
    def skeletons(self) -> list[Skeleton]:
        """Its skeletons; most files have one."""
    @property
    def clips(self) -> list[Clip]:
        """Its clips, in file order."""
    @property
    def meshes(self) -> list[Mesh]:
        """Its meshes, one a material."""
    @property
    def tracks(self) -> dict[str, Track]:
        """All tracks: those of clips, by `CLIP/TRACK`, and those that belong to none."""
    @property
    def markers(self) -> dict[str, list[Marker]]:
        """The named moments of clips, by the clips' names."""
    @property
    def graphs(self) -> dict[str, dict[str, Any]]:
        """Its graphs by name, as docs/GRAPHS.md describes them: what `Crowd` takes."""
    @property
    def matching(self) -> dict[str, Matching]:
        """Its databases for motion matching, by name. Recipes make them: docs/MATCHING.md."""
    @property
    def warnings(self) -> list[str]:
        """What was repaired, dropped or unclear in the file."""
    @property
    def report(self) -> list[_ClipReport] | None:
        """What cooking cost and gave, one dict a clip; None if it was not cooked here."""
    def __getitem__(self, key: str | int, /) -> Clip: ...
    def __len__(self) -> int: ...
    def to_bytes(self) -> bytes:
        """The bytes of the archive that games load; an authored asset is cooked as `lissom import` does it."""
    def save(self, path: _StrPath) -> None:
        """Writes that archive, whole or not at all."""
    def export_gltf(self, path: _StrPath) -> None:
        """Writes everything as a `.glb`."""
    def export_bvh(self, path: _StrPath, clip: str | None = None) -> None:
        """Writes one clip as BVH: the one of this name, or the only one."""

def open(
    path_or_bytes: _StrPath | _Buffer, *, name: _StrPath | None = None, unit: float | None = None, meshes: bool = True
) -> Asset:
    """Reads a file: glTF, FBX, BVH, SMPL (`.npz`), ozz, ACL, rawclip, a Lissom archive (`.lsm`). Told by its first bytes, else by its name.

    Lengths become metres, y is up. `unit` says how long one of the file's units is, in metres. BVH files do not say: the
    unit that makes the skeleton a human's is taken, and `warnings` tells which.
    `meshes=False` leaves meshes out, with their materials and images: motion alone opens several times as fast. Archives read theirs
    only when they are asked for, so it changes nothing for them.

    >>> bvh = b"HIERARCHY ROOT hips { OFFSET 0 1 0 CHANNELS 1 Xposition } MOTION Frames: 3 Frame Time: 0.5 0 1 2"
    >>> lissom.open(bvh).clips[0].positions(rate=2)[:, 0, 0]
    array([0., 1., 2.])
    """
def cook(
    source: _StrPath | _Buffer | Asset | Clip | list[Clip],
    *,
    precision: float | None = None,
    shell: ArrayLike | None = None,
    budget: int | None = None,
    effort: _Effort | None = None,
    unit: float | None = None,
    recipe: _StrPath | _Buffer | None = None,
) -> Asset:
    """Cooks a file, bytes, an asset, a clip or a list of clips into an archive: an `Asset` whose clips play as games play
    them, with `asset.report`.

    No point of a shell around any joint, and no vertex, is farther off than `precision` (metres, 0.0001 unless told);
    `shell` is how far from each joint that is measured (0.03; for clips also one length a joint, in built order). `budget`
    is how many bytes a clip may take: then the smallest error that fits is searched for. `effort` is "fast", "default" or
    "max". `unit` is how long a unit of a file is, in metres. `recipe` is a `lissom.toml`, its path or its bytes: what it
    says is done to files as `lissom import` does it; arguments go before it.

    >>> import numpy
    >>> body = lissom.Skeleton(["hips"], [-1], [[0, 1, 0]])
    >>> clip = lissom.Clip.from_arrays(body, numpy.tile([0, 0, 0, 1.0], (31, 1, 1)), name="still")
    >>> cooked = lissom.cook(clip, precision=0.001)
    >>> cooked["still"].cooked, cooked.report[0]["within"]
    (True, True)
    """
def cook_file(
    path: _StrPath,
    output: _StrPath,
    *,
    name: str | None = None,
    force: bool = False,
    precision: float | None = None,
    shell: float | None = None,
    budget: int | None = None,
    effort: _Effort | None = None,
    unit: float | None = None,
    recipe: _StrPath | _Buffer | None = None,
) -> list[_ClipReport] | None:
    """Cooks one file into an archive on disk, as `lissom import FILE -o OUTPUT` does it, byte for byte; what was cooked, one
    dict a clip, or None if the archive is there already and would become the same.

    The archive appears whole or not at all, whoever else writes it: work that is done twice, or killed half-way, does no
    harm. `name` is what the archive calls the file, so that it has the same bytes on every machine (`lissom.plan` tells);
    without it, the last part of its path. The folder of `output` is made.
    """
def plan(files: _StrPath | Sequence[_StrPath]) -> list[tuple[pathlib.Path, str, pathlib.Path]]:
    """What `lissom import FILES -o DIR/` would cook: a list of (path, name, output). `name` is the same on every machine,
    `output` the archive's path below DIR. Folders are searched, patterns (`clips/**/*.bvh`) too.
    """
def skin(mesh: Mesh, pose: ArrayLike) -> NDArray[np.float32]:
    """Where a mesh's vertices are in a pose: model-space matrices of its skeleton's joints in built order, (joints, 4, 4) or
    (frames, joints, 4, 4), as `clip.sample(times, space="model")` gives. The answer is (vertices, 3) or (frames,
    vertices, 3), float32, in model space. Morph targets are not mixed in.
    """
def _run_command(arguments: list[str]) -> int:
    """Runs the `lissom` command with these arguments, the first of which is its name; the exit code. It writes to the standard
    output of the process, which need not be `sys.stdout`.
    """
