"""A library of files: planned and cooked as `lissom import` does it, on one machine or on a cluster."""

import hashlib
import json
import os
import signal
import threading

import lissom
import pytest
from conftest import BVH


def tree(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture
def library(tmp_path):
    """Files in folders, two of one name, one that is refused."""
    folder = tmp_path / "library"
    for at in range(8):
        (folder / str(at % 3)).mkdir(parents=True, exist_ok=True)
        (folder / str(at % 3) / f"{at}.bvh").write_text(BVH.replace("1 2 3 90", f"{at} 2 3 90"))
    (folder / "0" / "broken.bvh").write_text(BVH[:-30])
    return folder


def test_a_plan_is_what_import_would_cook(library):
    planned = lissom.plan(library)
    assert [name for _, name, _ in planned] == ["0/0.bvh", "0/3.bvh", "0/6.bvh", "0/broken.bvh", "1/1.bvh", "1/4.bvh", "1/7.bvh", "2/2.bvh", "2/5.bvh"]
    assert [output.as_posix() for _, _, output in planned][:2] == ["0/0.lsm", "0/3.lsm"]
    assert len(lissom.plan([library / "1", library / "2"])) == 5
    with pytest.raises(ValueError, match="files: .*no file matches this pattern"):
        lissom.plan(library / "*.xyz")


def test_a_file_is_cooked_once_and_whole(library, tmp_path, command):
    output = tmp_path / "out" / "deep" / "0.lsm"
    report = lissom.cook_file(library / "0" / "0.bvh", output)
    assert report[0]["name"] == "0" and report[0]["within"]
    before = output.stat().st_mtime_ns
    assert lissom.cook_file(library / "0" / "0.bvh", output) is None
    assert output.stat().st_mtime_ns == before
    assert lissom.cook_file(library / "0" / "0.bvh", output, precision=0.001) is not None
    command("import", library / "0" / "0.bvh", "-o", tmp_path / "theirs.lsm", "--precision", "0.001")
    assert output.read_bytes() == (tmp_path / "theirs.lsm").read_bytes()
    assert lissom.cook_file(library / "0" / "0.bvh", output, force=True, precision=0.001) is not None
    with pytest.raises(lissom.FormatError):
        lissom.cook_file(library / "0" / "broken.bvh", output)
    assert output.read_bytes() == (tmp_path / "theirs.lsm").read_bytes()
    assert [p.name for p in output.parent.iterdir()] == ["0.lsm"]


@pytest.fixture(scope="module")
def cluster():
    """A scheduler and three worker processes."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(3, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1") as own,
        distributed.Client(own) as client,
    ):
        yield client


def cooked_here(command, library, folder):
    # One of the files is refused: exit code 1.
    with pytest.raises(Exception, match="status 1"):
        command("import", library, "-o", f"{folder}/")
    return tree(folder)


def test_a_cluster_gives_the_bytes_of_one_machine(cluster, library, tmp_path, command):
    from lissom import dask

    manifest = dask.cook(library, tmp_path / "cluster", cluster)
    found = tree(tmp_path / "cluster")
    assert json.loads(found.pop("manifest.json")) == manifest
    assert found == cooked_here(command, library, tmp_path / "here") and len(found) == 8
    entries = {entry["file"]: entry for entry in manifest["files"]}
    assert entries["0/broken.bvh"].keys() == {"file", "error"} and "broken.bvh" in entries["0/broken.bvh"]["error"]
    good = entries["1/4.bvh"]
    assert good["output"] == "1/4.lsm" and good["bytes"] == len(found["1/4.lsm"])
    assert good["output_sha256"] == hashlib.sha256(found["1/4.lsm"]).hexdigest()
    # Again: nothing is written anew, and the manifest says the same.
    times = {p: p.stat().st_mtime_ns for p in (tmp_path / "cluster").rglob("*.lsm")}
    assert dask.cook(library, tmp_path / "cluster", cluster) == manifest
    assert {p: p.stat().st_mtime_ns for p in times} == times


def test_options_and_recipes_reach_the_workers(cluster, library, tmp_path, command):
    from lissom import dask

    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "lissom.toml").write_text('[clips."*"]\nmirror = true\n')
    dask.cook(library / "1", tmp_path / "out", cluster, precision=0.001)
    found = tree(tmp_path / "out")
    command("import", library / "1", "-o", f"{tmp_path}/here/", "--precision", "0.001", "--config", tmp_path / "out" / "lissom.toml")
    assert {n: b for n, b in found.items() if n.endswith(".lsm")} == tree(tmp_path / "here")


def test_a_worker_that_is_killed_loses_nothing(cluster, library, tmp_path, command):
    from lissom import dask

    done = threading.Event()
    killed = []

    def kill_one():
        # As soon as the first archive is there, or is being written.
        while not done.wait(0.002):
            if any((tmp_path / "cluster").rglob("*.lsm*")):
                pid = next(iter(cluster.run(os.getpid).values()))
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                return

    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        # Long enough to be killed over.
        for at in range(60):
            (library / "2" / f"more{at}.bvh").write_text(BVH.replace("1 2 3 90", f"1 {at} 3 90"))
        manifest = dask.cook(library, tmp_path / "cluster", cluster)
    finally:
        done.set()
        killer.join()
    assert killed
    found = tree(tmp_path / "cluster")
    assert json.loads(found.pop("manifest.json")) == manifest
    assert found == cooked_here(command, library, tmp_path / "here") and len(found) == 68
