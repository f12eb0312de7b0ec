"""Motions of SMPL bodies, as AMASS stores them: `.npz` files of axis-angle rotations."""

from __future__ import annotations

import os
import pathlib
import zipfile
from typing import IO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._lissom import Clip, FormatError, Skeleton

__all__ = ["read_amass"]

StrPath = str | os.PathLike[str]

# Joint, parent, place in the parent's space: an adult of 1.7 m with arms stretched out, in metres, looking along z. Of
# left and right, only left is written.
_BODY = [
    ("pelvis", None, (0, 0, 0)),
    ("left_hip", "pelvis", (0.07, -0.09, 0)),
    ("right_hip", "pelvis", None),
    ("spine1", "pelvis", (0, 0.11, -0.02)),
    ("left_knee", "left_hip", (0.03, -0.38, 0)),
    ("right_knee", "right_hip", None),
    ("spine2", "spine1", (0, 0.13, 0)),
    ("left_ankle", "left_knee", (-0.01, -0.4, -0.04)),
    ("right_ankle", "right_knee", None),
    ("spine3", "spine2", (0, 0.06, 0.02)),
    ("left_foot", "left_ankle", (0.03, -0.06, 0.12)),
    ("right_foot", "right_ankle", None),
    ("neck", "spine3", (0, 0.21, -0.03)),
    ("left_collar", "spine3", (0.08, 0.11, -0.02)),
    ("right_collar", "spine3", None),
    ("head", "neck", (0, 0.09, 0.04)),
    ("left_shoulder", "left_collar", (0.1, 0.04, -0.01)),
    ("right_shoulder", "right_collar", None),
    ("left_elbow", "left_shoulder", (0.26, -0.01, -0.02)),
    ("right_elbow", "right_shoulder", None),
    ("left_wrist", "left_elbow", (0.25, 0.01, 0)),
    ("right_wrist", "right_elbow", None),
]
_FACE = [
    ("jaw", "head", (0, 0.01, 0.01)),
    ("left_eye", "head", (0.03, 0.07, 0.08)),
    ("right_eye", "head", None),
]
_MITTENS = [("left_hand", "left_wrist", (0.08, -0.01, -0.01)), ("right_hand", "right_wrist", None)]
_FINGERS = {"index": 0.03, "middle": 0.0, "pinky": -0.05, "ring": -0.025, "thumb": 0.05}


def _hand(side: str):
    for finger, across in _FINGERS.items():
        first = (0.03, -0.02, across) if finger == "thumb" else (0.1, 0, across)
        for part in (1, 2, 3):
            parent = f"{side}_wrist" if part == 1 else f"{side}_{finger}{part - 1}"
            yield f"{side}_{finger}{part}", parent, first if part == 1 else (0.03, 0, 0)


_HANDS = [*_hand("left"), *((name, parent, None) for name, parent, _ in _hand("right"))]
# By how many joints a file has: SMPL, SMPL-H, SMPL-X.
_RIGS = {24: [*_BODY, *_MITTENS], 52: [*_BODY, *_HANDS], 55: [*_BODY, *_FACE, *_HANDS]}
# Where the pelvis of a body at rest is in the model's own space, whose origin is in the chest.
_PELVIS = (0.0, -0.23, 0.02)


def read_amass(
    file: StrPath | IO[bytes],
    *,
    model: StrPath | None = None,
    joints: ArrayLike | None = None,
    name: str | None = None,
) -> Clip:
    """Reads an AMASS `.npz` (SMPL, SMPL-H or SMPL-X): a `Clip` in metres, y up.

    `lissom.open` reads such files too, always with the bones of an adult; here they can come from a body model.
    Such a file has rotations, a path and a rate, but no bones: those come from the body model and the file's `betas`.
    `model` is the model's own `.npz` (`v_template`, `shapedirs`, `J_regressor`). Or say where the `joints` are at rest,
    (joints, 3), in the model's space. Without either they are those of an adult of 1.7 m: right in its rotations, but no
    measure of the person.
    """
    content = _load(file, "file")
    poses, path = _array(content, "poses", 2), _array(content, "trans", 2)
    rate = next((float(content[key]) for key in ("mocap_framerate", "mocap_frame_rate") if key in content), None)
    if rate is None:
        raise FormatError("file: found no mocap_framerate, expected frames per second")
    frames, width = poses.shape
    rig = _RIGS.get(width // 3)
    if width % 3 or rig is None:
        raise FormatError(f"poses: found the shape {poses.shape}, expected 72 (SMPL), 156 (SMPL-H) or 165 (SMPL-X) columns")
    if path.shape != (frames, 3):
        raise FormatError(f"trans: found the shape {path.shape}, expected ({frames}, 3)")
    names = [joint for joint, _, _ in rig]
    parents = [-1 if parent is None else names.index(parent) for _, parent, _ in rig]
    if joints is not None:
        places = np.asarray(joints, dtype=float)
        if places.shape != (len(rig), 3):
            raise ValueError(f"joints: found the shape {places.shape}, expected ({len(rig)}, 3)")
    elif model is not None:
        places = _places_of_model(model, content, len(rig))
    else:
        places = _places(rig, names, parents)
    offsets = places - np.where(np.array(parents)[:, None] >= 0, places[parents], 0)
    rest = offsets.copy()
    # At rest it stands on the ground.
    rest[0, 1] = offsets[0, 1] - places[:, 1].min()
    if name is None:
        name = pathlib.Path(file).stem if isinstance(file, str | os.PathLike) else "clip"
    skeleton = Skeleton(names, parents, rest, name="SMPL")

    vectors = poses.reshape(frames, len(rig), 3)
    angles = np.linalg.norm(vectors, axis=-1, keepdims=True)
    # sin(a / 2) / a, which has a value at 0.
    rotations = np.concatenate([vectors * (np.sinc(angles / (2 * np.pi)) / 2), np.cos(angles / 2)], axis=-1)
    # z is up in these files: a quarter turn about x.
    x, y, z, w = np.moveaxis(rotations[:, 0], -1, 0)
    half = np.sqrt(0.5)
    rotations[:, 0] = np.stack([x - w, y + z, z - y, w + x], axis=-1) * half
    translations = np.tile(rest, (frames, 1, 1))
    carried = offsets[0] + path
    translations[:, 0] = np.stack([carried[:, 0], carried[:, 2], -carried[:, 1]], axis=-1)
    return Clip.from_arrays(skeleton, rotations, translations, rate, name=name, order="raw")


def _load(file: StrPath | IO[bytes], name: str) -> dict[str, NDArray]:
    try:
        with np.load(file, allow_pickle=False) as archive:
            # What is stored as objects (the gender, in some files) is never needed, and never unpickled.
            return {key: array for key in archive.files if (array := _plain(archive, key)) is not None}
    except FileNotFoundError:
        raise
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise FormatError(f"{name}: found no .npz archive, {error}") from error


def _plain(archive, key: str) -> NDArray | None:
    try:
        return archive[key]
    except ValueError:
        return None


def _array(content: dict[str, NDArray], key: str, dimensions: int) -> NDArray[np.float64]:
    found = content.get(key)
    if found is None or found.dtype.kind not in "fiu" or found.ndim != dimensions:
        shape = "nothing" if found is None else f"{found.dtype} {found.shape}"
        raise FormatError(f"{key}: found {shape}, expected numbers of {dimensions} dimensions; there are {sorted(content)}")
    return found.astype(float)


def _places_of_model(model: StrPath, content: dict[str, NDArray], count: int) -> NDArray[np.float64]:
    """Where the joints of this body are: a sum of shapes, and joints as means of vertices."""
    parts = _load(model, "model")
    vertices, shapes = _array(parts, "v_template", 2), _array(parts, "shapedirs", 3)
    regressor = _array(parts, "J_regressor", 2)
    betas = _array(content, "betas", 1) if "betas" in content else np.zeros(0)
    used = min(len(betas), shapes.shape[2])
    if regressor.shape[0] < count or regressor.shape[1] != len(vertices) or shapes.shape[:2] != vertices.shape:
        raise FormatError(f"model: found J_regressor {regressor.shape}, v_template {vertices.shape}, shapedirs {shapes.shape}")
    return regressor[:count] @ (vertices + shapes[:, :, :used] @ betas[:used])


def _places(rig, names: list[str], parents: list[int]) -> NDArray[np.float64]:
    offsets = {joint: offset for joint, _, offset in rig}
    places = np.zeros((len(rig), 3))
    for at, (joint, parent) in enumerate(zip(names, parents, strict=True)):
        mirrored = offsets[joint] is None
        offset = np.array(offsets[joint.replace("right", "left")] if mirrored else offsets[joint], dtype=float)
        if mirrored:
            offset[0] = -offset[0]
        places[at] = offset + (places[parent] if parent >= 0 else _PELVIS)
    return places
