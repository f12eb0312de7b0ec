"""A whole clip sampled, with the command's native figure beside it, and a file opened: `python bench/clips.py FILE.glb`"""

import json
import os
import subprocess
import sys
import tempfile
import time

import lissom
import numpy as np


def best(work, rounds=25):
    times = []
    for _ in range(rounds):
        # Time of the processor: on one core it is the same, and busy neighbours stretch it less.
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def positions(file, **more):
    return lissom.open(file, **more).clips[0].positions(30)


def main(file):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"open to positions of every frame at 30 Hz: {best(lambda: positions(file)) * 1e3:.2f} ms")
    print(f"the same without meshes: {best(lambda: positions(file, meshes=False)) * 1e3:.2f} ms")
    asset = lissom.open(file)
    with tempfile.TemporaryDirectory() as folder:
        archive = f"{folder}/bench.lsm"
        asset.save(archive)
        clip = lissom.open(archive).clips[0]
        joints = len(clip.skeleton)
        times = np.arange(0, clip.duration, 1 / 60)
        for words, more in (("local, ten numbers", {}), ("model, matrices", {"space": "model"})):
            seconds = best(lambda more=more: clip.sample(times, **more), 200)
            print(f"sample, {words}: {seconds * 1e9 / len(times) / joints:.1f} ns a joint")
        native = subprocess.run([sys.executable, "-m", "lissom", "bench", archive, "--clip", clip.name, "--json"], check=True, capture_output=True)
        for name, value in json.loads(native.stdout)["figures"].items():
            if "sample" in name or "local" in name:
                print(f"native, {name}: {value}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
