"""Motions of different lengths in one array, for training."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["batch"]


def batch(
    arrays: Sequence[ArrayLike], *, frames: int | None = None, value: float = 0.0
) -> tuple[NDArray[np.floating], NDArray[np.bool_]]:
    """Arrays of different lengths as one: (arrays, frames, ...), filled up with `value`, and a mask (arrays, frames) that is True
    where there is motion.

    All but the first axis must agree. `frames` cuts what is longer, and fills up to that length; without it, the longest array
    decides.

    >>> import numpy
    >>> motions, mask = lissom.batch([numpy.ones((2, 3)), numpy.ones((4, 3))])
    >>> motions.shape, mask.sum(axis=1)
    ((2, 4, 3), array([2, 4]))
    """
    all_ = [np.asarray(array) for array in arrays]
    if not all_:
        raise ValueError("arrays: there are none")
    rest = all_[0].shape[1:]
    for at, array in enumerate(all_):
        if array.ndim == 0 or array.shape[1:] != rest:
            raise ValueError(f"arrays: array {at} has the shape {array.shape}; all but the first axis must be {rest}")
    longest = max(len(array) for array in all_) if frames is None else frames
    if longest < 0:
        raise ValueError(f"frames: {frames}; expected a number of at least 0")
    kind = np.result_type(np.float32, *(array.dtype for array in all_))
    out = np.full((len(all_), longest, *rest), value, dtype=kind)
    mask = np.zeros((len(all_), longest), dtype=np.bool_)
    for array, row, known in zip(all_, out, mask, strict=True):
        count = min(len(array), longest)
        row[:count], known[:count] = array[:count], True
    return out, mask
