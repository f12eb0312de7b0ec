"""Motion as numpy arrays.

>>> bvh = b"HIERARCHY ROOT hips { OFFSET 0 1 0 CHANNELS 1 Xposition } MOTION Frames: 3 Frame Time: 0.5 0 1 2"
>>> asset = lissom.open(bvh, name="walk.bvh")
>>> asset["walk"].sample([0.25], space="model")[0, 0, :3, 3]
array([0.5, 1. , 0. ], dtype=float32)

`lissom.open` reads a file, `Clip.from_arrays` takes arrays, `lissom.cook` makes the archive that games load.
Conventions (x y z w, metres, y up, the order of joints) are in CONVENTIONS.md of the package's sources.
"""

from ._lissom import (
    Asset,
    Clip,
    Crowd,
    FormatError,
    Marker,
    Matching,
    Mesh,
    Skeleton,
    Track,
    __version__,
    cook,
    cook_file,
    open,
    plan,
    skin,
)
from . import rotations
from .amass import read_amass
from .batches import batch
from .plots import plot

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
    "batch",
    "cook",
    "cook_file",
    "open",
    "plan",
    "plot",
    "read_amass",
    "rotations",
    "skin",
]
