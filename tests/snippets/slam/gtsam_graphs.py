"""The pose graphs that gtsam's wheel ships, as g2o files, and gtsam's minimum.

Files in g2o's SE(3) format are taken as they are. sphere2500 (EDGE3: roll, pitch,
yaw) and the planar ones, lifted to z = 0, are written out with all their digits.
Left out: graphs with landmarks, and sphere_smallnoise.graph, of whose 8,647 edges
gtsam's own reader takes in one.
"""

from pathlib import Path

import gtsam
import numpy as np

DATA = Path(gtsam.__file__).parent / "Data"
AS_THEY_ARE = [
    "Klaus3.g2o",
    "pose3example.txt",
    "pose3Localizationexample.txt",
    "pose3example-grid.txt",
    "pose3example-offdiagonal.txt",
    "pose3example-offdiagonal-rewritten.txt",
    "simpleGraph10gradIter.txt",
    "toyExample.g2o",
]
SPHERES = ["sphere2500.txt", "sphere2500_groundtruth.txt"]
PLANAR = [
    "noisyToyGraph.txt",
    "optimizedNoisyToyGraph.txt",
    "orientationsNoisyToyGraph.txt",
    "pose2example.txt",
    "w100.graph",
]
LARGE = ["w10000.graph"]
SWAP = np.r_[3:6, 0:3]  # [rho, phi] to gtsam's [phi, rho] and back
UPPER = np.triu_indices(6)


def numbers(pose: gtsam.Pose3) -> str:
    q = pose.rotation().toQuaternion()
    xyz = pose.translation()
    return " ".join(f"{v:.17g}" for v in [*xyz, q.x(), q.y(), q.z(), q.w()])


def write(path: Path, poses: dict, edges: list) -> Path:
    rows = [f"VERTEX_SE3:QUAT {k} {numbers(T)}" for k, T in poses.items()]
    for i, j, Z, omega in edges:
        upper = " ".join(f"{v:.17g}" for v in omega[UPPER])
        rows.append(f"EDGE_SE3:QUAT {i} {j} {numbers(Z)} {upper}")
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


def sphere(name: str, path: Path) -> Path:
    """EDGE3 lines without vertices; these are chained up from the odometry."""
    poses, edges = {0: gtsam.Pose3()}, []
    for row in (DATA / name).read_text().splitlines():
        _, i, j, *fields = row.split()
        x, y, z, roll, pitch, yaw, *upper = map(float, fields)
        Z = gtsam.Pose3(gtsam.Rot3.Ypr(yaw, pitch, roll), np.array([x, y, z]))
        omega = np.zeros((6, 6))
        omega[UPPER] = upper
        edges.append((int(i), int(j), Z, omega))
        if int(j) == int(i) + 1:
            poses[int(j)] = poses[int(i)].compose(Z)
    return write(path, poses, edges)


def lifted(name: str, path: Path) -> Path:
    """SE(2) in SE(3): information 1 for z, roll and pitch."""

    def lift(pose):
        return gtsam.Pose3(gtsam.Rot3.Rz(pose.theta()), np.array([pose.x(), pose.y(), 0]))

    graph, values = gtsam.load2D(str(DATA / name))
    edges = []
    for factor in (graph.at(k) for k in range(graph.size())):
        i, j = factor.keys()
        model = factor.noiseModel()
        R = model.R() if hasattr(model, "R") else np.eye(3)
        omega = np.eye(6)
        omega[np.ix_([0, 1, 5], [0, 1, 5])] = R.T @ R
        edges.append((i, j, lift(factor.measured()), omega))
    poses = {k: lift(values.atPose2(k)) for k in sorted(values.keys())}
    return write(path, poses, edges)


def g2o_file(name: str, folder: Path) -> Path:
    if name in AS_THEY_ARE:
        return DATA / name
    make = sphere if name in SPHERES else lifted
    return make(name, folder / f"{Path(name).stem}.g2o")


def load(path: Path):
    """Read by gtsam's own reader; the lowest id is held fixed."""
    graph, values = gtsam.readG2o(str(path), True)
    first = min(values.keys())
    graph.add(gtsam.NonlinearEqualityPose3(first, values.atPose3(first)))
    return graph, values


def optimum(graph, values, relative: float = 1e-13, iterations: int = 200):
    """gtsam's Levenberg-Marquardt; its error has a factor 1/2."""
    parameters = gtsam.LevenbergMarquardtParams()
    parameters.setRelativeErrorTol(relative)
    parameters.setAbsoluteErrorTol(0)
    parameters.setMaxIterations(iterations)
    found = gtsam.LevenbergMarquardtOptimizer(graph, values, parameters).optimize()
    return found, 2 * graph.error(found)
