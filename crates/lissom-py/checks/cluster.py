"""A folder cooked on a cluster, a worker killed meanwhile: `python checks/cluster.py FOLDER`.

A scheduler and three workers, processes of their own, on this machine. One worker is killed by SIGKILL while it works. All
archives must be there, byte for byte those of `lissom import`, and nothing half-written.
"""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import lissom
import lissom.dask
from distributed import Client


def tree(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def main(folder):
    with tempfile.TemporaryDirectory() as scratch:
        check(folder, pathlib.Path(scratch))


def check(folder, scratch):
    contact = scratch / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen([*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", contact], **quiet)
    # Without a nanny: whoever is killed stays dead.
    worker = [*dask, "worker", "--scheduler-file", contact, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
    workers = [subprocess.Popen([*worker, "--local-directory", scratch / f"worker{at}"], **quiet) for at in range(3)]
    try:
        with Client(scheduler_file=contact, timeout=60) as client:
            client.wait_for_workers(3, timeout=60)
            start, killed = time.monotonic(), []

            def kill_one():
                while not any((scratch / "cluster").rglob("*.lsm")):
                    time.sleep(0.005)
                time.sleep(random.uniform(0.1, 1.0))
                victim = workers[1]
                busy = [key for address, keys in client.processing().items() for key in keys]
                os.kill(victim.pid, signal.SIGKILL)
                killed.append(len(busy))

            killer = threading.Thread(target=kill_one)
            killer.start()
            manifest = lissom.dask.cook(folder, scratch / "cluster", client)
            killer.join()
            seconds = time.monotonic() - start
            left = len(client.scheduler_info(n_workers=-1)["workers"])
        assert killed and killed[0] > 0, "nothing was left to do when the worker was killed"
        assert left == 2, f"{left} workers are left"
    finally:
        for process in [*workers, scheduler]:
            process.terminate()
            process.wait()
    subprocess.run([sys.executable, "-m", "lissom", "import", folder, "-o", f"{scratch}/here/", "--quiet"], **quiet)
    found, expected = tree(scratch / "cluster"), tree(scratch / "here")
    found.pop(lissom.dask.MANIFEST)
    assert found.keys() == expected.keys(), found.keys() ^ expected.keys()
    different = [name for name in found if found[name] != expected[name]]
    assert not different, different
    refused = [entry for entry in manifest["files"] if "error" in entry]
    assert len(manifest["files"]) == len(found) + len(refused)
    print(f"{len(found)} archives, {len(refused)} files refused, {seconds:.1f} s; a worker was killed with {killed[0]} tasks to go; all as on one machine")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
