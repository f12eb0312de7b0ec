"""A library of motion cooked on a Dask cluster.

    from dask.distributed import Client
    import lissom.dask

    manifest = lissom.dask.cook("library/", "cooked/", Client("scheduler:8786"))

One task a file, the same bytes as `lissom import library/ -o cooked/` on one machine. Files and outputs are paths that
every worker sees (a shared file system), and every worker has the same version of this package.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import lissom

if TYPE_CHECKING:
    from dask.distributed import Client

__all__ = ["MANIFEST", "cook"]

#: What `cook` writes beside the archives when all of them are there.
MANIFEST = "manifest.json"

StrPath = str | os.PathLike[str]


def cook(
    files: StrPath | Sequence[StrPath],
    out: StrPath,
    client: Client,
    *,
    retries: int = 3,
    force: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Cooks files, folders and patterns into one archive each below the folder `out`; the manifest.

    Options are those of `lissom.cook_file`; `recipe` is the nearest `lissom.toml` in `out` or above unless told, as for
    `lissom import`. A file that is refused does not stop the others: the manifest says why. A task whose worker dies runs
    again, `retries` times: an archive appears whole or not at all, and one that is there and would become the same is left
    alone. So a run that was stopped goes on where it was.

    The manifest, written last as `out/manifest.json`, depends on nothing but what is in the files and how they are cooked:
    `{"lissom": version, "files": [{"file", "sha256", "output", "bytes", "output_sha256"} or {"file", "error"}]}`.
    """
    from dask.distributed import as_completed

    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    recipe = options.pop("recipe", None) or _nearest_recipe(folder)
    if recipe is not None:
        # A worker's working directory is its own.
        options["recipe"] = recipe if isinstance(recipe, bytes) else str(pathlib.Path(recipe).resolve())
    planned = lissom.plan(files)
    futures = [
        client.submit(
            _cook_one,
            str(pathlib.Path(path).resolve()),
            str((folder / output).resolve()),
            name,
            force,
            options,
            key=f"lissom-cook-{_token(path, folder, output, options)}",
            retries=retries,
            pure=False,
        )
        for path, name, output in planned
    ]
    told = {}
    for future, result in as_completed(futures, with_results=True):
        told[future.key] = result
    entries = []
    for (_, name, output), future in zip(planned, futures, strict=True):
        result = told[future.key]
        if "error" not in result:
            result = {**result, "output": output.as_posix()}
        entries.append({"file": name, **result})
        # What a worker was killed over. Nobody else writes this archive: its task is done.
        target = folder / output
        for left in target.parent.glob(f"{_escaped(target.name)}.*.part"):
            left.unlink(missing_ok=True)
    manifest = {"lissom": lissom.__version__, "files": entries}
    _write_whole(folder / MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    return manifest


def _cook_one(path: str, output: str, name: str, force: bool, options: dict[str, Any]) -> dict[str, Any]:
    """One task. What is wrong with the file is its result; what is wrong with the machine is an exception, and it is tried
    again."""
    try:
        lissom.cook_file(path, output, name=name, force=force, **options)
    except (ValueError, FileNotFoundError, IsADirectoryError) as error:
        return {"error": str(error)}
    return {
        "sha256": _sha256(path),
        "bytes": os.path.getsize(output),
        "output_sha256": _sha256(output),
    }


def _nearest_recipe(folder: pathlib.Path) -> pathlib.Path | None:
    full = folder.resolve()
    return next((f / "lissom.toml" for f in [full, *full.parents] if (f / "lissom.toml").is_file()), None)


def _sha256(path: StrPath) -> str:
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def _token(*parts: Any) -> str:
    # Two calls of one client must not share results: the files may have changed in between.
    return hashlib.sha256(repr((*parts, os.urandom(8))).encode()).hexdigest()[:20]


def _escaped(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _write_whole(path: pathlib.Path, text: str) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
