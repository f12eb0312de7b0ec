"""What tests share: small motions made here, the command, reference files where somebody has them."""

import pathlib
import subprocess
import sys

import lissom
import numpy as np
import pytest

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 1 2 3
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Leg
  {
    OFFSET 0 -4 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Foot
    {
      OFFSET 0 -1 0.5
      CHANNELS 3 Yrotation Zrotation Xrotation
      End Site
      {
        OFFSET 0 0 1
      }
    }
  }
  JOINT Arm
  {
    OFFSET 0.5 1 0
    CHANNELS 3 Zrotation Xrotation Yrotation
  }
}
MOTION
Frames: 5
Frame Time: 0.25
0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
1 2 3 90 0 0 10 20 30 5 0 0 80 0 0
2 2 3 90 45 0 20 -20 30 5 50 0 80 170 0
3 2 3 90 90 0 30 20 -30 5 0 70 80 190 0
4 2 3 180 -90 10 40 20 30 -5 0 0 -80 0 350
"""


@pytest.fixture
def bvh():
    return lissom.open(BVH.encode(), name="walk.bvh")


@pytest.fixture
def body():
    """Joints in an order of their own: built order is hips, right, left, foot."""
    names, parents = ["foot", "hips", "right", "left"], [3, -1, 1, 1]
    return lissom.Skeleton(names, parents, [[0, -0.4, 0.1], [0, 1, 0], [-0.1, 0, 0], [0.1, 0, 0]])


@pytest.fixture
def clip(body):
    rng = np.random.default_rng(7)
    angles = np.cumsum(rng.normal(size=(61, 4, 4)) * 0.03, axis=0)
    rotations = angles + [0, 0, 0, 3]
    translations = body.rest()[:, :3] + np.cumsum(rng.normal(size=(61, 4, 3)) * 0.01, axis=0)
    return lissom.Clip.from_arrays(body, rotations, translations, rate=30, name="wander")


@pytest.fixture
def command():
    """Runs the `lissom` command of the package; what it printed."""

    def run(*arguments):
        words = [sys.executable, "-m", "lissom", *map(str, arguments)]
        return subprocess.run(words, check=True, capture_output=True).stdout

    return run


@pytest.fixture(scope="session")
def mannequin_file(tmp_path_factory):
    """A character with a skin, which the command makes."""
    file = tmp_path_factory.mktemp("mannequin") / "mannequin.glb"
    subprocess.run([sys.executable, "-m", "lissom", "mannequin", "-o", file], check=True, capture_output=True)
    return file


@pytest.fixture(scope="session")
def mannequin(mannequin_file):
    return lissom.open(mannequin_file)


def pytest_addoption(parser):
    parser.addoption("--assets", type=pathlib.Path, help="a folder of reference files, which are no part of the project")


@pytest.fixture
def assets(request):
    """The folder of reference files."""
    found = request.config.getoption("--assets")
    if found is None:
        pytest.skip("no --assets FOLDER given")
    return found
