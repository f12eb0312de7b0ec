"""Motion as a picture, with matplotlib."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from ._lissom import Clip

__all__ = ["plot"]


def plot(
    clip: "Clip", times: ArrayLike | None = None, *, view: Literal["front", "side"] = "side", ax: Any = None
) -> Any:
    """Draws the bones of a clip at some times, side by side, on matplotlib's axes, which it returns.

    `times` are seconds; without them, eight from the start to the end. `view="front"` looks along -z, `"side"` along -x. Figures stand
    apart by the size of the largest; how far the clip travels is not shown. Needs matplotlib.

    >>> bvh = b"HIERARCHY ROOT hips { OFFSET 0 1 0 CHANNELS 1 Xposition } MOTION Frames: 3 Frame Time: 0.5 0 1 2"
    >>> axes = lissom.plot(lissom.open(bvh, name="walk.bvh")["walk"])
    >>> axes.get_title()
    'walk'
    """
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("lissom.plot needs matplotlib: pip install matplotlib") from error
    if view not in ("front", "side"):
        raise ValueError(f'view: {view!r}; expected "front" or "side"')
    moments = np.linspace(0, clip.duration, 8) if times is None else np.atleast_1d(np.asarray(times, dtype=np.float64))
    places = clip.sample(moments, space="model")[..., :3, 3].astype(np.float64)
    # To the right in the picture: x from the front; from the left side, -z is right.
    across = places[..., 0] if view == "front" else -places[..., 2]
    across = across - across.mean(axis=1, keepdims=True)
    apart = max(1.2 * float(np.ptp(across, axis=1).max()), 0.3 * float(np.ptp(places[..., 1])), 1e-6)
    axes = pyplot.subplots(figsize=(1.4 * len(moments) + 1, 3.2))[1] if ax is None else ax
    parents = clip.skeleton.parents
    for at, time in enumerate(moments):
        for joint, parent in enumerate(parents):
            ends = [joint, parent] if parent >= 0 else [joint, joint]
            axes.plot(across[at, ends] + at * apart, places[at, ends, 1], "o-", color="C0", markersize=2, linewidth=1.5)
        axes.annotate(f"{time:.2f} s", (at * apart, 0), xytext=(0, -14), textcoords="offset points", ha="center", fontsize=8)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_ylabel("metres")
    axes.set_title(clip.name)
    return axes
