"""Positions against pybvh's: `python checks/pybvh_agrees.py FOLDER [COUNT]`. Within 1e-6 of the height, in every frame."""

import pathlib
import sys

import lissom
import numpy as np
import pybvh


def main(folder, count=20):
    files = sorted(pathlib.Path(folder).rglob("*.bvh"), key=lambda f: (f.stat().st_size, f))
    compared, worst = 0, 0.0
    for file in files:
        if compared == count:
            break
        try:
            clip = lissom.open(file).clips[0]
            theirs = pybvh.read_bvh_file(file)
        except ValueError as error:
            print(f"left out: {file}: {error}")
            continue
        ours, theirs_at = clip.positions(clip.rate, order="raw"), theirs.joint_positions()
        names = clip.skeleton.raw_names
        assert names == theirs.joint_names, file
        assert ours.shape == theirs_at.shape, (file, ours.shape, theirs_at.shape)
        off = np.abs(ours - theirs_at).max() / np.ptp(theirs_at[0, :, 1])
        worst = max(worst, off)
        compared += 1
        print(f"{off:.1e} of the height  {len(ours):5} frames  {file.name}")
    if compared < count:
        sys.exit(f"only {compared} of {count} files could be compared")
    print(f"{compared} files, at most {worst:.1e} of the height apart")
    if worst > 1e-6:
        sys.exit("that is more than 1e-6")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
