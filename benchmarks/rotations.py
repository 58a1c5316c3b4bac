"""Measure exactness and speed of so3.py and se3.py beside other libraries.

    python benchmarks/rotations.py            print both tables
    python benchmarks/rotations.py --write    and put them where the article shows them

Needs requirements.txt. Exactness: the largest relative error (Frobenius norm of the
difference over that of the true value) over angles from 1e-12 to pi and on to 5, true
values from mpmath with 60 digits. Every library gets the same float64 inputs; a log
may have either sign within 1e-9 of pi. Speed: the best of several passes over one
million elements in one thread, libraries in turn; gtsam, which has no batches, over a
part of them. Run it on an idle machine: the load average is printed.
"""

import argparse
import os
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
ROOT = Path(__file__).parent.parent
SNIPPETS = ROOT / "snippets/slam"
sys.path.insert(0, str(SNIPPETS))

import gtsam
import mpmath as mp
import numpy as np
import pypose as pp
import pytransform3d.batch_rotations as batch_rotations
import pytransform3d.rotations as rotations
import pytransform3d.trajectories as trajectories
import pytransform3d.transformations as transformations
import torch
from scipy.spatial.transform import RigidTransform, Rotation

import batch
import se3
import so3

COLUMNS = ["exp", "log", "SE3 t", "SE3 rho"], ["J_l", "J_l inv", "Q", "Q inv"]
N = 1_000_000
torch.set_num_threads(1)
mp.mp.dps = 60


def swap(xi):
    """[rho, phi] to [phi, rho] and back."""
    return np.concatenate([xi[..., 3:], xi[..., :3]], -1)



def tensor(function):
    return lambda x: function(torch.from_numpy(np.ascontiguousarray(x))).numpy()


def textbook_log(R):
    theta = np.arccos((np.trace(R) - 1) / 2)
    return theta / (2 * np.sin(theta)) * so3.vee(R - R.T)


def textbook_exp(phi):
    theta = np.linalg.norm(phi)
    a = so3.hat(phi / theta)
    return np.eye(3) + np.sin(theta) * a + (1 - np.cos(theta)) * a @ a


def textbook_left(phi):
    theta = np.linalg.norm(phi)
    a = so3.hat(phi / theta)
    return np.eye(3) + (1 - np.cos(theta)) / theta * a + (theta - np.sin(theta)) / theta * a @ a


def textbook_left_inv(phi):
    theta = np.linalg.norm(phi)
    P = so3.hat(phi)
    square = 1 / theta**2 - (1 + np.cos(theta)) / (2 * theta * np.sin(theta))
    return np.eye(3) - P / 2 + square * P @ P


def single(function):
    """The same on float32 input."""
    return lambda x: function(np.asarray(x, np.float32))


OURS = {
    "exp": so3.exp, "log": so3.log, "J_l": so3.left_jacobian, "J_l inv": so3.left_jacobian_inv,
    "SE3 t": lambda xi: se3.exp(xi)[:3, 3], "SE3 rho": lambda T: se3.log(T)[:3],
    "Q": lambda xi: se3.left_jacobian(xi)[:3, 3:],
    "Q inv": lambda xi: se3.left_jacobian_inv(xi)[:3, 3:]}
LIBRARIES = {
    "this site": OURS,
    "this site, float32": {name: single(function) for name, function in OURS.items()},
    f"scipy {version('scipy')}": {
        "exp": lambda phi: Rotation.from_rotvec(phi).as_matrix(),
        "log": lambda R: Rotation.from_matrix(R).as_rotvec(),
        "SE3 t": lambda xi: RigidTransform.from_exp_coords(swap(xi)).as_matrix()[:3, 3],
        "SE3 rho": lambda T: RigidTransform.from_matrix(T).as_exp_coords()[3:]},
    f"gtsam {version('gtsam')}": {  # its Jacobians are right ones: J_l(xi) = J_r(-xi)
        "exp": lambda phi: gtsam.Rot3.Expmap(phi).matrix(),
        "log": lambda R: gtsam.Rot3.Logmap(gtsam.Rot3(R)),
        "J_l": lambda phi: gtsam.SO3.ExpmapDerivative(-phi),
        "J_l inv": lambda phi: gtsam.SO3.LogmapDerivative(-phi),
        "SE3 t": lambda xi: gtsam.Pose3.Expmap(swap(xi)).translation(),
        "SE3 rho": lambda T: gtsam.Pose3.Logmap(gtsam.Pose3(T))[3:],
        "Q": lambda xi: gtsam.Pose3.ExpmapDerivative(-swap(xi))[3:, :3],
        "Q inv": lambda xi: gtsam.Pose3.LogmapDerivative(-swap(xi))[3:, :3]},
    f"pytransform3d {version('pytransform3d')}": {
        "exp": rotations.matrix_from_compact_axis_angle,
        "log": lambda R: rotations.compact_axis_angle_from_matrix(R, check=False),
        "J_l": rotations.left_jacobian_SO3, "J_l inv": rotations.left_jacobian_SO3_inv,
        "SE3 t": lambda xi: transformations.transform_from_exponential_coordinates(
            swap(xi))[:3, 3],
        "SE3 rho": lambda T: transformations.exponential_coordinates_from_transform(
            T, check=False)[3:],
        "Q": lambda xi: transformations.left_jacobian_SE3(swap(xi))[3:, :3],
        "Q inv": lambda xi: transformations.left_jacobian_SE3_inv(swap(xi))[3:, :3]},
    f"pypose {version('pypose')}": {
        "exp": tensor(lambda phi: pp.so3(phi).Exp().matrix()),
        "log": tensor(lambda R: pp.mat2SO3(R, check=False).Log().tensor()),
        "J_l": tensor(lambda phi: pp.so3(-phi).Jr()),
        "SE3 t": tensor(lambda xi: pp.se3(xi).Exp().translation()),
        "SE3 rho": tensor(lambda T: pp.mat2SE3(T, check=False).Log().tensor()[:3])},
    "textbook formulas": {
        "exp": textbook_exp, "log": textbook_log, "J_l": textbook_left,
        "J_l inv": textbook_left_inv},
}


def angles():
    """Every regime: tiny, ordinary, close to pi, beyond it."""
    return np.concatenate([
        10.0 ** np.arange(-12, 0, 0.25), np.linspace(0.1, 5, 50),
        [2 - 1e-9, 2 + 1e-9, 3 - 1e-9, 3 + 1e-9],
        np.pi - 10.0 ** np.arange(-12, 0, 0.25), [np.pi]])


def hat(v):
    return mp.matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def truth(phi, rho):
    """The true values for given inputs, as mpmath matrices."""
    phi, rho = (mp.matrix([mp.mpf(float(v)) for v in x]) for x in (phi, rho))
    theta = mp.norm(phi)
    with mp.workdps(160):  # these subtractions lose digits near zero
        a, b = mp.sin(theta) / theta, (1 - mp.cos(theta)) / theta**2
        c = (theta - mp.sin(theta)) / theta**3
        db, dc = (a - 2 * b) / theta**2, (b - 3 * c) / theta**2
    P, S, along = hat(phi), hat(rho), (phi.T * rho)[0]
    eye = mp.eye(3)
    left = a * eye + b * P + c * phi * phi.T
    # Barfoot's Q by its definition: the derivative of the series of J_l, term by term.
    Q = ((c - b) * along * eye + b * S + db * along * P + dc * along * phi * phi.T
         + c * (rho * phi.T + phi * rho.T))
    inverse = left**-1
    return {"exp": eye + a * P + b * P * P, "log": phi, "J_l": left, "J_l inv": inverse,
            "SE3 t": left * rho, "SE3 rho": rho, "Q": Q, "Q inv": -inverse * Q * inverse}


def error(got, true) -> float:
    got = mp.matrix(np.asarray(got, np.float64).reshape(true.rows, true.cols).tolist())
    if not all(mp.isfinite(v) for v in got):
        return float("nan")
    return float(mp.norm(got - true) / mp.norm(true))


def exactness(repeats: int) -> dict:
    """Return {library: {column: largest error}}; NaN where a result was not finite."""
    rng = np.random.default_rng(0)
    worst = {library: {} for library in LIBRARIES}
    for theta in np.repeat(angles(), repeats):
        axis = rng.normal(size=3)
        phi = axis / np.linalg.norm(axis) * theta
        xi = np.concatenate([rng.normal(size=3), phi])
        for single_precision in (False, True):
            xi = xi.astype(np.float32).astype(np.float64) if single_precision else xi
            true = truth(xi[3:], xi[:3])
            T = np.eye(4)
            T[:3, :3] = np.array(true["exp"].tolist(), np.float64)
            T[:3, 3] = np.array(true["SE3 t"].tolist(), np.float64)[:, 0]
            for library, functions in LIBRARIES.items():
                if ("float32" in library) != single_precision:
                    continue
                for column, function in functions.items():
                    given = {"log": T[:3, :3], "SE3 rho": T, "SE3 t": xi, "Q": xi,
                             "Q inv": xi}.get(column, xi[3:])
                    if column in ("log", "SE3 rho") and theta > np.pi:
                        continue
                    if column == "SE3 rho" and (theta > np.pi - 1e-9 or (
                            single_precision and theta > np.pi - 1e-5)):
                        continue  # the other sign of phi has another rho
                    with np.errstate(all="ignore"):
                        got = function(given)
                    value = error(got, true[column])
                    if column == "log" and theta > np.pi - (1e-5 if single_precision else 1e-9):
                        value = min(value, error(-got, true[column]))
                    worst[library][column] = np.maximum(worst[library].get(column, 0), value)
    return worst


def best(function, given, repeats=7) -> float:
    """Nanoseconds per element of the fastest pass."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        function(given)
        taken.append(time.perf_counter() - start)
    return min(taken) / len(given) * 1e9


def whole(function):
    """The same formulas without blocks: all elements at once."""
    def run(given):
        batch.BLOCK, kept = len(given), batch.BLOCK
        try:
            return function(given)
        finally:
            batch.BLOCK = kept
    return run


def speed() -> dict:
    """Return {library: [SO3 exp, SO3 log, SE3 exp, SE3 log]} in ns per element."""
    rng = np.random.default_rng(1)
    phi, xi = rng.normal(size=(N, 3)), rng.normal(size=(N, 6))
    R, T, flipped = so3.exp(phi), se3.exp(xi), swap(xi)
    few = slice(0, N // 50)
    t_phi, t_xi = pp.so3(torch.from_numpy(phi)), pp.se3(torch.from_numpy(xi))
    t_R, t_T = torch.from_numpy(R), torch.from_numpy(T)
    ours = [(so3.exp, phi), (so3.log, R), (se3.exp, xi), (se3.log, T)]
    passes = {
        "this site": ours,
        "this site, one block": [(whole(f), given) for f, given in ours],
        f"scipy {version('scipy')}": [
            (lambda x: Rotation.from_rotvec(x).as_matrix(), phi),
            (lambda x: Rotation.from_matrix(x).as_rotvec(), R),
            (lambda x: RigidTransform.from_exp_coords(x).as_matrix(), flipped),
            (lambda x: RigidTransform.from_matrix(x).as_exp_coords(), T)],
        f"pypose {version('pypose')}": [
            (lambda x: x.Exp().matrix(), t_phi),
            (lambda x: pp.mat2SO3(x, check=False).Log(), t_R),
            (lambda x: x.Exp().matrix(), t_xi),
            (lambda x: pp.mat2SE3(x, check=False).Log(), t_T)],
        f"pytransform3d {version('pytransform3d')}": [
            (batch_rotations.matrices_from_compact_axis_angles, phi),
            (batch_rotations.axis_angles_from_matrices, R),
            (trajectories.transforms_from_exponential_coordinates, flipped),
            (trajectories.exponential_coordinates_from_transforms, T)],
        f"gtsam {version('gtsam')}, a loop": [
            (lambda x: [gtsam.Rot3.Expmap(v).matrix() for v in x], phi[few]),
            (lambda x: [gtsam.Rot3.Logmap(gtsam.Rot3(v)) for v in x], R[few]),
            (lambda x: [gtsam.Pose3.Expmap(v).matrix() for v in x], flipped[few]),
            (lambda x: [gtsam.Pose3.Logmap(gtsam.Pose3(v)) for v in x], T[few])],
    }
    table = {}
    for library, functions in passes.items():
        slow = library != "this site" and not library.startswith("scipy")
        table[library] = [best(f, given, 3 if slow else 7) for f, given in functions]
    return table


def machine() -> str:
    return (f"{time.strftime('%Y-%m-%d')}, {platform.system()} {platform.machine()}, Python "
            f"{platform.python_version()}, NumPy {np.__version__}, one thread")


def accuracy_text(worst: dict) -> str:
    """Two blocks of columns, narrow enough for a page."""
    lines = []
    for columns in COLUMNS:
        lines.append(f"{'largest relative error':25}" + "".join(f"{c:>9}" for c in columns))
        for library, row in worst.items():
            cells = [f"{row[c]:.0e}" if c in row else "-" for c in columns]
            if set(cells) != {"-"}:
                lines.append(f"{library:25}" + "".join(f"{cell:>9}" for cell in cells))
        lines.append("")
    return "\n".join([*lines, machine()]) + "\n"


def speed_text(table: dict) -> str:
    columns = ["SO3 exp", "SO3 log", "SE3 exp", "SE3 log"]
    lines = [f"{'ns per element':25}" + "".join(f"{c:>9}" for c in columns)]
    lines += [f"{library:25}" + "".join(f"{value:9.0f}" for value in row)
              for library, row in table.items()]
    return "\n".join([*lines, "", f"{N:,} elements; {machine()}"]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="into snippets/slam/")
    parser.add_argument("--repeats", type=int, default=8, help="samples an angle")
    options = parser.parse_args()
    print(f"Load average: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.\n")
    table = speed()
    print(speed_text(table))
    accuracy = accuracy_text(exactness(options.repeats))
    print(accuracy)
    if options.write:
        (SNIPPETS / "rotations_speed.txt").write_text(speed_text(table), "utf-8")
        (SNIPPETS / "rotations_accuracy.txt").write_text(accuracy, "utf-8")
    ours, scipy = table["this site"], next(v for k, v in table.items() if k.startswith("scipy"))
    ratios = [theirs / mine for mine, theirs in zip(ours, scipy, strict=True)]
    budget = dict(zip(("SO3 exp", "SO3 log", "SE3 exp", "SE3 log"), (0.5, 5, 1.5, 3), strict=True))
    missed = [f"{name}: {ratio:.2f} times scipy's speed, the budget is {least}"
              for (name, least), ratio in zip(budget.items(), ratios, strict=True)
              if ratio < least]
    print("Times as fast as scipy: " + ", ".join(
        f"{name} {ratio:.1f}" for name, ratio in zip(budget, ratios, strict=True)))
    print("\n".join(missed) or "Every budget is kept.")
    return int(bool(missed))


if __name__ == "__main__":
    raise SystemExit(main())
