"""What is written, carried and read again; docstrings that run."""

import concurrent.futures
import doctest
import multiprocessing
import pathlib
import pickle
import platform
import subprocess
import sys
import threading
import time

import lissom
import numpy as np
import pytest


def same_clip(a, b):
    assert (a.name, a.duration, a.cooked, a.looping) == (b.name, b.duration, b.cooked, b.looping)
    assert a.skeleton.names == b.skeleton.names
    times = a.times(77)
    for more in ({}, {"space": "model"}, {"order": "raw"}):
        np.testing.assert_array_equal(a.sample(times, **more), b.sample(times, **more))


def test_everything_pickles_and_comes_back_the_same(bvh, clip):
    def again(thing):
        return pickle.loads(pickle.dumps(thing))

    same_clip(again(clip), clip)
    cooked = lissom.cook(clip)
    same_clip(again(cooked.clips[0]), cooked.clips[0])
    same_clip(again(bvh).clips[0], bvh.clips[0])
    same_clip(again(cooked).clips[0], cooked.clips[0])
    assert again(cooked).report == cooked.report
    assert again(cooked).to_bytes() == cooked.to_bytes()
    for body in (clip.skeleton, cooked.skeletons[0]):
        assert again(body) == body and hash(again(body)) == hash(body)
    assert again(lissom.Marker("step", 0.5)) == lissom.Marker("step", 0.5)


def test_meshes_pickle(mannequin):
    mesh = mannequin.meshes[0]
    pose = mannequin["run"].sample(0.2, space="model")
    back = pickle.loads(pickle.dumps(mesh))
    np.testing.assert_array_equal(lissom.skin(back, pose), lissom.skin(mesh, pose))
    np.testing.assert_array_equal(back.triangles, mesh.triangles)
    assert (back.name, back.skeleton.names) == (mesh.name, mesh.skeleton.names)


def test_motion_alone_is_the_same_motion(mannequin_file, mannequin):
    motion = lissom.open(mannequin_file, meshes=False)
    assert len(mannequin.meshes) == 1 and motion.meshes == []
    for bare in (motion, pickle.loads(pickle.dumps(motion))):
        assert bare.meshes == []
        same_clip(bare["walk"], mannequin["walk"])
    cooked = lissom.cook(motion, effort="fast", precision=0.01)
    assert cooked.meshes == [] and len(cooked.clips) == len(mannequin.clips)
    # An archive reads its meshes when it is asked for them.
    archive = lissom.cook(mannequin, effort="fast", precision=0.01).to_bytes()
    assert len(lissom.open(archive, meshes=False).meshes) == 1


def test_meshes_and_tracks_of_real_files_pickle(assets):
    seen = set()
    for file in sorted(assets.rglob("khronos-sample-assets/**/*.glb")):
        asset = lissom.open(file)
        for mesh in asset.meshes[:1]:
            back = pickle.loads(pickle.dumps(mesh))
            pose = np.tile(np.eye(4), (len(mesh.skeleton), 1, 1))
            np.testing.assert_array_equal(lissom.skin(back, pose), lissom.skin(mesh, pose))
            seen.add("mesh")
        for track in asset.tracks.values():
            back = pickle.loads(pickle.dumps(track))
            np.testing.assert_array_equal(back.sample([0, 0.3, 1]), track.sample([0, 0.3, 1]))
            seen.add("track")
    assert seen == {"mesh", "track"}


@pytest.mark.parametrize("cut", [0, 3, 4, 11, 40, -1])
def test_broken_pickles_are_told(clip, cut):
    make, (data,) = clip.__reduce__()
    with pytest.raises(lissom.FormatError):
        make(data[:cut])


def positions_of(clip):
    return clip.positions()


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_other_processes_take_clips(clip, start):
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"there is no {start} here")
    # Threads of ours have run before the fork.
    expected = clip.positions()
    clip.sample(np.linspace(0, 2, 50_000))
    context = multiprocessing.get_context(start)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        for found in pool.map(positions_of, [clip, clip]):
            np.testing.assert_array_equal(found, expected)


def test_archives_glb_and_bvh_are_read_back(bvh, clip, tmp_path):
    cooked = lissom.cook(clip, precision=1e-4)
    cooked.save(tmp_path / "a.lsm")
    same_clip(lissom.open(tmp_path / "a.lsm").clips[0], cooked.clips[0])
    clip.export_bvh(tmp_path / "a.bvh")
    back = lissom.open(tmp_path / "a.bvh").clips[0]
    np.testing.assert_allclose(back.positions(30), clip.positions(30), rtol=0, atol=1e-5)
    cooked.export_bvh(tmp_path / "b.bvh")
    back = lissom.open(tmp_path / "b.bvh").clips[0]
    np.testing.assert_allclose(back.positions(30), clip.positions(30), rtol=0, atol=2e-4)
    bvh.export_gltf(tmp_path / "c.glb")
    back = lissom.open(tmp_path / "c.glb").clips[0]
    np.testing.assert_allclose(back.positions(4), bvh.clips[0].positions(4), rtol=0, atol=1e-5)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.bvh", "a.lsm", "b.bvh", "c.glb"]


def test_the_gil_is_free_while_poses_are_made(body):
    clip = lissom.Clip.from_arrays(body, np.random.default_rng(1).normal(size=(2000, 4, 4)))
    times, ticks, done = np.linspace(0, 60, 2_000_000), [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    start = time.perf_counter()
    clip.sample(times)
    end = time.perf_counter()
    done.set()
    other.join()
    assert sum(start < t < end for t in ticks) > 10


# What is allocated and not given back, by the C library's own count: memory that nobody has touched counts too, which the
# pages of the process would not show. In a process of its own: what other tests have freed would hide a leak.
LEAK = """
import ctypes
import sys

import lissom

bvh = sys.stdin.buffer.read()


class Count(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


count = ctypes.CDLL(None).mallinfo2
count.restype = Count


def taken():
    now = count()
    return now.uordblks + now.hblkhd


def some(times):
    for _ in range(times):
        lissom.open(bvh).clips[0].positions()


some(300)
before = taken()
some(3000)
print(taken() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="memory is counted by glibc")
def test_opening_leaks_nothing():
    from conftest import BVH

    ran = subprocess.run([sys.executable, "-c", LEAK], input=BVH.encode(), capture_output=True, check=True)
    # 30 bytes per opening would be 90 kB.
    assert int(ran.stdout) < 60_000


def test_examples_of_docstrings_run():
    from lissom import _lissom

    runner, finder = doctest.DocTestRunner(), doctest.DocTestParser()
    ran = 0
    things = [("lissom", lissom), ("rotations", lissom.rotations), ("batch", lissom.batch), ("plot", lissom.plot), *vars(_lissom).items()]
    for name, thing in list(things):
        if isinstance(thing, type):
            things += [(f"{name}.{member}", getattr(thing, member)) for member in vars(thing) if not member.startswith("_")]
    for name, thing in things:
        text = getattr(thing, "__doc__", None) or ""
        if ">>>" in text and not name.startswith("_"):
            result = runner.run(finder.get_doctest(text, {"lissom": lissom}, name, None, None))
            assert result.failed == 0, name
            ran += 1
    assert ran >= 10


def test_everything_public_is_documented_and_in_the_stubs():
    stubs = pathlib.Path(lissom.__file__).with_name("_lissom.pyi").read_text()
    for name in lissom.__all__:
        if name == "__version__":
            continue
        thing = getattr(lissom, name)
        assert thing.__doc__, name
        # What is written in Python needs no stubs.
        if not hasattr(lissom._lissom, name):
            continue
        assert f"class {name}" in stubs or f"def {name}(" in stubs, name
        for member in vars(thing) if isinstance(thing, type) else ():
            if not member.startswith("_"):
                assert getattr(thing, member).__doc__, f"{name}.{member}"
                assert f"def {member}(" in stubs, f"{name}.{member}"


def test_stubs_have_the_docstrings_of_the_module():
    """Editors show what stubs say. `stubs.py` writes it."""
    sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
    try:
        import stubs
    finally:
        sys.path.pop(0)
    source = stubs.STUBS.read_text()
    assert stubs.documented(source) == source, "run: python crates/lissom-py/stubs.py"
    assert source.count('"""') > 150


def test_stubs_are_those_of_what_is_there(tmp_path):
    pytest.importorskip("mypy")
    words = [sys.executable, "-m", "mypy.stubtest", "lissom"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
