"""Rotations in the forms that learning and animation use, to and from quaternions.

Quaternions are x, y, z, w, as everywhere in lissom. Every function takes arrays of any leading shape and any array-like, and gives
float64. Quaternions that come out have length 1 and w of at least 0, so that equal rotations are equal arrays (up to rounding).

>>> import numpy
>>> half = numpy.sqrt(0.5)
>>> lissom.rotations.to_axis_angle([0, 0, half, half]).round(4)
array([0.    , 0.    , 1.5708])
>>> lissom.rotations.to_euler([0, 0, half, half], "ZXY").round(4)
array([90.,  0.,  0.])
>>> lissom.rotations.to_6d([0, 0, 0, 1])
array([1., 0., 0., 0., 1., 0.])
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "from_6d",
    "from_axis_angle",
    "from_euler",
    "from_matrix",
    "multiply",
    "to_6d",
    "to_axis_angle",
    "to_euler",
    "to_matrix",
]

_Floats = NDArray[np.float64]
_AXES = "XYZ"


def _array(values: ArrayLike, width: int, name: str) -> _Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != width:
        raise ValueError(f"{name}: the shape {array.shape}; the last axis must have {width} numbers")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: numbers must be finite")
    return array


def _unit(quaternions: ArrayLike) -> _Floats:
    q = _array(quaternions, 4, "quaternions")
    # Squares of extreme numbers are 0 or infinite.
    largest = np.abs(q).max(axis=-1, keepdims=True)
    if (largest == 0).any():
        raise ValueError("quaternions: one has length 0")
    q = q / largest
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def _canonical(q: _Floats) -> _Floats:
    return np.where(q[..., 3:] < 0, -q, q) + 0.0


def multiply(a: ArrayLike, b: ArrayLike) -> _Floats:
    """The rotation b followed by a, as matrices multiply: `to_matrix(multiply(a, b))` is `to_matrix(a) @ to_matrix(b)`."""
    ax, ay, az, aw = np.moveaxis(_unit(a), -1, 0)
    bx, by, bz, bw = np.moveaxis(_unit(b), -1, 0)
    product = [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
    return _canonical(np.stack(product, axis=-1))


def to_matrix(quaternions: ArrayLike) -> _Floats:
    """Matrices (..., 3, 3), `m[..., row, column]`, for column vectors."""
    x, y, z, w = np.moveaxis(_unit(quaternions), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(matrices: ArrayLike) -> _Floats:
    """Quaternions of rotation matrices (..., 3, 3), which must be orthonormal to about 1e-6."""
    m = _array(matrices, 3, "matrices")
    if m.ndim < 2 or m.shape[-2] != 3:
        raise ValueError(f"matrices: the shape {m.shape}; the last two axes must have 3 numbers")
    off = np.abs(m @ np.swapaxes(m, -1, -2) - np.eye(3)).max(initial=0)
    if off > 1e-4 or (np.linalg.det(m) < 0).any():
        raise ValueError("matrices: one is no rotation: its rows are not orthonormal, or it mirrors")
    trace = np.trace(m, axis1=-2, axis2=-1)
    diagonal = np.diagonal(m, axis1=-2, axis2=-1)
    # Four times the square of each number: the largest is a safe divisor.
    squares = np.concatenate([1 - trace[..., None] + 2 * diagonal, 1 + trace[..., None]], axis=-1)
    best = squares.argmax(axis=-1)
    a, b, c = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    d, e, f = m[..., 1, 0] + m[..., 0, 1], m[..., 2, 0] + m[..., 0, 2], m[..., 2, 1] + m[..., 1, 2]
    by_best = [
        [squares[..., 0], d, e, a],
        [d, squares[..., 1], f, b],
        [e, f, squares[..., 2], c],
        [a, b, c, squares[..., 3]],
    ]
    all_four = np.stack([np.stack(row, axis=-1) for row in by_best], axis=-2)
    return _canonical(_unit(np.take_along_axis(all_four, best[..., None, None], axis=-2)[..., 0, :]))


def to_6d(quaternions: ArrayLike) -> _Floats:
    """The first two columns of the matrix, one after the other, (..., 6): the form that networks learn best."""
    m = to_matrix(quaternions)
    return np.concatenate([m[..., :, 0], m[..., :, 1]], axis=-1)


def from_6d(numbers: ArrayLike) -> _Floats:
    """Quaternions of (..., 6). Any two columns that are not parallel will do: they are made orthonormal, the first one first."""
    numbers = _array(numbers, 6, "numbers")
    x, y = numbers[..., :3], numbers[..., 3:]
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    x = np.divide(x, length, out=np.zeros_like(x), where=length > 0)
    y = y - (x * y).sum(axis=-1, keepdims=True) * x
    height = np.linalg.norm(y, axis=-1, keepdims=True)
    if (length == 0).any() or (height <= 1e-12).any():
        raise ValueError("numbers: two columns are parallel, or one is 0")
    y = y / height
    return from_matrix(np.stack([x, y, np.cross(x, y)], axis=-1))


def to_axis_angle(quaternions: ArrayLike) -> _Floats:
    """The axis times the angle in radians, (..., 3), the short way round: at most pi."""
    q = _canonical(_unit(quaternions))
    sine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[..., 3:])
    # sin(a / 2) is a / 2 where both are nearly 0.
    small = sine < 1e-12
    return np.where(small, 2 * q[..., :3], q[..., :3] * (angle / np.where(small, 1, sine)))


def from_axis_angle(vectors: ArrayLike) -> _Floats:
    """Quaternions of axes times angles in radians, (..., 3)."""
    v = _array(vectors, 3, "vectors")
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    # np.sinc is sin(pi x) / (pi x).
    half = 0.5 * np.sinc(angle / (2 * np.pi))
    return _canonical(_unit(np.concatenate([v * half, np.cos(angle / 2)], axis=-1)))


def _order(order: str) -> tuple[int, int, int]:
    if len(order) != 3 or sorted(order.upper()) != list(_AXES):
        raise ValueError(f'order: {order!r}; expected each of X, Y and Z once, such as "ZXY"')
    i, j, k = (_AXES.index(axis) for axis in order.upper())
    return i, j, k


def to_euler(quaternions: ArrayLike, order: str, *, degrees: bool = True) -> _Floats:
    """Three angles, (..., 3), in the order of `order`: "ZXY" is Rz @ Rx @ Ry, as BVH's channels Zrotation Xrotation Yrotation.

    The middle angle is from -90 to 90 degrees. Where it is 90 or -90, only a sum of the other two is determined: the last is 0.
    """
    i, j, k = _order(order)
    m = to_matrix(quaternions)
    # +1 if i, j, k go round as x, y, z do.
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    middle = np.arcsin(np.clip(sign * m[..., i, k], -1, 1))
    locked = np.abs(m[..., i, k]) > 1 - 1e-12
    first = np.where(locked, np.arctan2(sign * m[..., k, j], m[..., j, j]), np.arctan2(-sign * m[..., j, k], m[..., k, k]))
    last = np.where(locked, 0.0, np.arctan2(-sign * m[..., i, j], m[..., i, i]))
    angles = np.stack([first, middle, last], axis=-1) + 0.0
    return np.degrees(angles) if degrees else angles


def from_euler(angles: ArrayLike, order: str, *, degrees: bool = True) -> _Floats:
    """Quaternions of three angles, (..., 3), in the order of `order`; see `to_euler`."""
    axes = _order(order)
    angles = _array(angles, 3, "angles")
    angles = np.radians(angles) if degrees else angles
    turns = []
    for place, axis in enumerate(axes):
        turn = np.zeros((*angles.shape[:-1], 4))
        turn[..., axis], turn[..., 3] = np.sin(angles[..., place] / 2), np.cos(angles[..., place] / 2)
        turns.append(turn)
    return multiply(multiply(turns[0], turns[1]), turns[2])
