"""BVH files to model-space positions of all frames, with pybvh beside: `python bench/bvh.py FILE.bvh FILE.bvh ...`

Prints a table for BENCHMARKS.md. One core: time of the processor, which busy neighbours stretch less than the clock's. All cores, by the clock: a pool of threads for lissom, which
frees the GIL, and of processes for pybvh, which does not. Each figure is the best of several runs, taken in turn.
"""

import concurrent.futures
import os
import pathlib
import sys
import time

import lissom

try:
    import pybvh
except ImportError:
    sys.exit("pip install pybvh==0.9.0")

ROUNDS = 7


def with_lissom(file):
    clip = lissom.open(file).clips[0]
    return clip.positions(clip.rate)


def with_pybvh(file):
    return pybvh.read_bvh_file(file).joint_positions()


def count_of_pybvh(file):
    # What a process would send back is not what is measured.
    return with_pybvh(file).shape


def seconds(work, clock=time.perf_counter):
    start = clock()
    work()
    return clock() - start


def one_core(files):
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    print("| file | kB | frames | pybvh, ms | lissom, ms | times faster | lissom, MB/s |")
    print("|---|---|---|---|---|---|---|")
    total = [0.0, 0.0, 0]
    for file in files:
        shapes = with_lissom(file).shape, with_pybvh(file).shape
        assert shapes[0] == shapes[1], (file, shapes)
        ours = theirs = float("inf")
        for _ in range(ROUNDS):
            ours = min(ours, seconds(lambda: with_lissom(file), time.process_time))
            theirs = min(theirs, seconds(lambda: with_pybvh(file), time.process_time))
        size = os.path.getsize(file)
        row(pathlib.Path(file).name, size, shapes[0][0], theirs, ours)
        total = [total[0] + theirs, total[1] + ours, total[2] + size]
    row("all, one core", total[2], "", total[0], total[1])
    os.sched_setaffinity(0, cores)


def all_cores(files):
    cores, files = len(os.sched_getaffinity(0)), files * 8
    size = sum(map(os.path.getsize, files))
    with (
        concurrent.futures.ThreadPoolExecutor(cores) as threads,
        concurrent.futures.ProcessPoolExecutor(cores) as processes,
    ):
        ours = theirs = float("inf")
        for _ in range(ROUNDS):
            ours = min(ours, seconds(lambda: list(threads.map(with_lissom, files))))
            theirs = min(theirs, seconds(lambda: list(processes.map(count_of_pybvh, files))))
    alone = seconds(lambda: [with_pybvh(file) for file in files])
    row(f"8 times each, {cores} cores; pybvh in processes", size, "", theirs, ours)
    row(f"8 times each, {cores} cores; pybvh on one", size, "", alone, ours)


def row(name, size, frames, theirs, ours):
    print(f"| {name} | {size / 1e3:.0f} | {frames} | {theirs * 1e3:.2f} | {ours * 1e3:.2f} | {theirs / ours:.1f} | {size / ours / 1e6:.0f} |")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    one_core(sys.argv[1:])
    all_cores(sys.argv[1:])
