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
    def name(self) -> str: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def raw_names(self) -> list[str]: ...
    @property
    def parents(self) -> list[int]: ...
    @property
    def raw_of_joint(self) -> list[int]: ...
    @property
    def joint_of_raw(self) -> list[int]: ...
    def rest(self, *, order: _Order = "built") -> NDArray[np.float64]: ...
    def __len__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Clip:
    @property
    def name(self) -> str: ...
    @property
    def duration(self) -> float: ...
    @property
    def rate(self) -> float | None: ...
    @property
    def looping(self) -> bool: ...
    @property
    def cooked(self) -> bool: ...
    @property
    def skeleton(self) -> Skeleton: ...
    @property
    def tracks(self) -> list[Track]: ...
    @property
    def markers(self) -> list[Marker]: ...
    def sample(
        self,
        times: ArrayLike,
        *,
        space: Literal["local", "model"] = "local",
        matrices: bool | None = None,
        order: _Order = "built",
    ) -> NDArray[Any]: ...
    def positions(self, rate: float = 30.0, *, order: _Order = "built") -> NDArray[Any]: ...
    def times(self, rate: float = 30.0) -> NDArray[np.float64]: ...
    def root_motion(self, rate: float = 30.0, *, joint: str | None = None) -> NDArray[np.float64]: ...
    def contacts(
        self,
        *,
        height: float | None = None,
        speed: float | None = None,
        feet: tuple[str, str] | list[str] | None = None,
    ) -> dict[Literal["left", "right"], NDArray[np.float64]]: ...
    def retarget(self, skeleton: Skeleton, *, hands: bool = False, feet: bool = False) -> Clip: ...
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
    ) -> Clip: ...
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
    ) -> Clip: ...
    def export_bvh(self, path: _StrPath) -> None: ...

@final
class Track:
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> Literal["float", "float2", "float3", "float4", "quat"]: ...
    @property
    def ratios(self) -> NDArray[np.float64]: ...
    @property
    def values(self) -> NDArray[np.float64]: ...
    def sample(self, ratios: ArrayLike) -> NDArray[Any]: ...

@final
class Marker:
    def __new__(cls, name: str, time: float, duration: float = 0.0) -> Marker: ...
    def __eq__(self, value: object, /) -> bool: ...
    @property
    def name(self) -> str: ...
    @property
    def time(self) -> float: ...
    @property
    def duration(self) -> float: ...

class _Events(TypedDict):
    member: NDArray[np.int64]
    marker: NDArray[np.str_]
    clip: NDArray[np.str_]
    layer: NDArray[np.str_]
    share: NDArray[np.float32]
    weight: NDArray[np.float32]
    lap: NDArray[np.int64]
    backward: NDArray[np.bool_]

@final
class Crowd:
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
    def skeleton(self) -> Skeleton: ...
    @property
    def graph(self) -> dict[str, Any]: ...
    @property
    def parameters(self) -> dict[str, Literal["float", "int", "bool", "trigger", "curve"]]: ...
    def __getitem__(self, key: str, /) -> NDArray[Any]: ...
    def __setitem__(self, key: str, value: ArrayLike, /) -> None: ...
    def update(self, dt: float) -> None: ...
    def matrices(self) -> NDArray[np.float32]: ...
    def poses(self) -> NDArray[np.float32]: ...
    def palettes(self) -> NDArray[np.float32]: ...
    @property
    def places(self) -> NDArray[np.float64]: ...
    @places.setter
    def places(self, value: ArrayLike, /) -> None: ...
    def root_motion(self) -> NDArray[np.float64]: ...
    def events(self) -> _Events: ...
    def states(self, layer: str | None = None) -> NDArray[np.str_]: ...
    def play(
        self,
        clip: str,
        layer: str | None = None,
        *,
        members: ArrayLike | None = None,
        fade: float = 0.2,
        speed: float = 1.0,
        loop: bool = False,
    ) -> None: ...
    def stop(self, layer: str | None = None, *, members: ArrayLike | None = None) -> None: ...
    def save(self) -> bytes: ...
    def restore(self, saved: bytes) -> None: ...

@final
class Mesh:
    @property
    def name(self) -> str: ...
    @property
    def skeleton(self) -> Skeleton: ...
    @property
    def positions(self) -> NDArray[np.float32]: ...
    @property
    def normals(self) -> NDArray[np.float32]: ...
    @property
    def triangles(self) -> NDArray[np.uint32]: ...
    @property
    def joints(self) -> NDArray[np.uint16]: ...
    @property
    def weights(self) -> NDArray[np.float32]: ...
    @property
    def inverse_binds(self) -> NDArray[np.float32]: ...

@final
class Asset:
    @property
    def name(self) -> str: ...
    @property
    def skeletons(self) -> list[Skeleton]: ...
    @property
    def clips(self) -> list[Clip]: ...
    @property
    def meshes(self) -> list[Mesh]: ...
    @property
    def tracks(self) -> dict[str, Track]: ...
    @property
    def markers(self) -> dict[str, list[Marker]]: ...
    @property
    def graphs(self) -> dict[str, dict[str, Any]]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def report(self) -> list[_ClipReport] | None: ...
    def __getitem__(self, key: str | int, /) -> Clip: ...
    def __len__(self) -> int: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: _StrPath) -> None: ...
    def export_gltf(self, path: _StrPath) -> None: ...
    def export_bvh(self, path: _StrPath, clip: str | None = None) -> None: ...

def open(
    path_or_bytes: _StrPath | _Buffer, *, name: _StrPath | None = None, unit: float | None = None, meshes: bool = True
) -> Asset: ...
def cook(
    source: _StrPath | _Buffer | Asset | Clip | list[Clip],
    *,
    precision: float | None = None,
    shell: ArrayLike | None = None,
    budget: int | None = None,
    effort: _Effort | None = None,
    unit: float | None = None,
    recipe: _StrPath | _Buffer | None = None,
) -> Asset: ...
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
) -> list[_ClipReport] | None: ...
def plan(files: _StrPath | Sequence[_StrPath]) -> list[tuple[pathlib.Path, str, pathlib.Path]]: ...
def skin(mesh: Mesh, pose: ArrayLike) -> NDArray[np.float32]: ...
def _run_command(arguments: list[str]) -> int: ...
