"""Bytes that are not ours, through every function that reads bytes: no crash, a typed error, bounded memory.

The CI step `pages` fails if a method in `src/` takes bytes and is not named in `READERS`.
"""

import random
import resource
import struct
import subprocess
import sys

import lissom
import numpy as np
import pytest

BODY = lissom.Skeleton(["hips", "left", "right"], [-1, 0, 0], [[0, 1, 0], [0.1, 0, 0], [-0.1, 0, 0]])
POINTS = [{"at": 0, "clip": "sway"}, {"at": 1, "clip": "turn"}]
GRAPH = {"parameters": {"speed": {"float": 0}}, "layers": [{"name": "body", "states": [{"name": "a", "line": "speed", "points": POINTS}]}]}

# Counts that are too large, infinity and NaN, as eight bytes.
NASTY = [0, 1, 3, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, (1 << 64) - 1, 0x7FF0 << 48, 0x7FF8 << 48]
MUTANTS = 2000
# What all mutants together may add to the peak. Each is a few kilobytes; a mesh is some megabytes.
MEGABYTES = 64


def motion(name):
    angles = np.cumsum(np.random.default_rng(3).normal(size=(20, 3, 4)) * 0.05, axis=0) + [0, 0, 0, 3]
    return lissom.Clip.from_arrays(BODY, angles, rate=20, name=name).edit(events={"step": [0.2, 0.5]}, root_motion=True)


def carried(*things):
    return [thing.__reduce__()[1][0] for thing in things]


def clips(_):
    made = motion("sway")

    def use(clip):
        clip.sample(0.3)
        return clip.markers, [track.sample([0, 1]) for track in clip.tracks]

    return lissom.Clip._from_bytes, carried(made, lissom.cook(made).clips[0]), use


def skeletons(_):
    cooked = lissom.cook(motion("sway")).skeletons[0]
    return lissom.Skeleton._from_bytes, carried(BODY, cooked), lambda body: (body.rest(), body.names, hash(body))


def tracks(_):
    made = motion("sway")
    both = made.tracks[0], lissom.cook(made).clips[0].tracks[0]
    return lissom.Track._from_bytes, carried(*both), lambda track: track.sample([0, 0.4, 1])


def meshes(mannequin):
    mesh = lissom.open(mannequin).meshes[0]
    return lissom.Mesh._from_bytes, carried(mesh), lambda mesh: (mesh.triangles, mesh.weights)


def assets(_):
    def read(data):
        return lissom.Asset._from_bytes("some.lsm", data, [], (None, True), None)

    cooked = lissom.cook(motion("sway")).to_bytes()
    return read, [cooked], lambda asset: [clip.sample(0.1) for clip in asset.clips]


def crowd():
    made = lissom.Crowd(lissom.cook([motion("sway"), motion("turn")]), GRAPH, 3)
    made["speed"] = [0, 0.5, 1]
    made.update(0.1)
    return made


def use_crowd(crowd):
    crowd.update(1 / 60)
    crowd.matrices()


def saves(_):
    made = crowd()

    def read(data):
        made.restore(data)
        return made

    return read, [made.save()], use_crowd


def parts(_):
    made = crowd()
    *before, saved = made.__reduce__()[1]
    return lambda data: lissom.Crowd._from_parts(*before, data), [saved], use_crowd


# By the name of the method that takes bytes: the reader, good bytes, and what is done with what comes out.
READERS = {
    "Asset._from_bytes": assets,
    "Clip._from_bytes": clips,
    "Crowd._from_parts": parts,
    "Crowd.restore": saves,
    "Mesh._from_bytes": meshes,
    "Skeleton._from_bytes": skeletons,
    "Track._from_bytes": tracks,
}


def spoil(data, rng):
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            del data[at:]
        elif kind == 1:
            del data[at : at + rng.randint(1, 16)]
        elif kind == 2:
            data[at:at] = rng.randbytes(rng.randint(1, 16))
        elif kind == 3:
            data[at : at + 8] = struct.pack("<Q", rng.choice(NASTY))
        elif kind == 4:
            data[at : at + 1] = rng.randbytes(1)
        else:
            data[at:at] = data[at : at + 64]
    return bytes(data)


def run(name, mannequin):
    """Prints how many mutants were read, how many refused, and by how many kilobytes the peak of memory rose."""
    read, good, use = READERS[name](mannequin)
    for data in good:
        use(read(data))
    rng = random.Random(name)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    counts = [0, 0]
    for i in range(MUTANTS):
        data = rng.randbytes(rng.randrange(400)) if i % 20 == 0 else spoil(good[i % len(good)], rng)
        try:
            use(read(data))
            counts[0] += 1
        # FormatError is one; a panic is none.
        except ValueError as error:
            assert str(error), data
            counts[1] += 1
    print(*counts, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)


@pytest.mark.parametrize("name", READERS)
def test_spoiled_bytes_do_no_harm(name, mannequin_file):
    # In a process of its own: a crash is then a failure, and the peak of memory is that of the reader.
    ran = subprocess.run([sys.executable, __file__, name, mannequin_file], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    read, refused, kilobytes = map(int, ran.stdout.split())
    assert read + refused == MUTANTS and refused > MUTANTS // 4
    assert kilobytes < MEGABYTES * 1024


if __name__ == "__main__":
    run(*sys.argv[1:])
