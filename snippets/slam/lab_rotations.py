"""Turn a cube by Euler angles, rotation vectors and quaternions.

The cells of the notebook lab-rotations.ipynb, one section each, in order.
"""

# --8<-- [start:euler]
import numpy as np

import draw_cube
import euler
import quaternion
import so3

rest = np.eye(3)
yaw, pitch, roll = np.radians([40, 30, 50])
R = euler.to_matrix(yaw, pitch, roll)
draw_cube.row(
    {
        "I": rest,
        "z 40°": euler.to_matrix(yaw, 0, 0),
        "y 30°": euler.to_matrix(yaw, pitch, 0),
        "x 50°": R,
    }
)
# --8<-- [end:euler]


# --8<-- [start:axes]
def about(axis, degrees):
    """Turn about one of the fixed axes x, y, z (0, 1, 2)."""
    return so3.exp(np.radians(degrees) * rest[axis])


z, y, x = about(2, 40), about(1, 30), about(0, 50)
print("z y x:", np.allclose(z @ y @ x, R, rtol=0, atol=1e-14))
print("x y z:", np.degrees(np.linalg.norm(so3.log(x @ y @ z @ R.T))).round(2))
draw_cube.row({"I": rest, "x 50°": x, "y 30°": y @ x, "z 40°": z @ y @ x})
# --8<-- [end:axes]


# --8<-- [start:vector]
phi, q = so3.log(R), quaternion.from_matrix(R)
angle = np.linalg.norm(phi)
print("φ", phi.round(4), " |φ|", np.degrees(angle).round(2), "°")
print("q", q.round(4), " cos(|φ|/2)", np.cos(angle / 2).round(4))
for same in so3.exp(phi), quaternion.to_matrix(q), quaternion.to_matrix(-q):
    print(np.allclose(same, R, rtol=0, atol=1e-14))
draw_cube.row(
    {
        "I": rest,
        "φ/3": so3.exp(phi / 3),
        "2φ/3": so3.exp(2 * phi / 3),
        "φ": so3.exp(phi),
    }
)
# --8<-- [end:vector]


# --8<-- [start:rank]
def jacobian(yaw, pitch, roll, h=1e-6):
    """Column k: how the cube turns, in rad, per rad of angle k (3 × 3)."""
    at = np.array([yaw, pitch, roll])
    ahead, behind = (
        euler.to_matrix(*(at + h * side * rest).T) for side in (1, -1)
    )
    return so3.log(ahead @ behind.swapaxes(1, 2)).T / (2 * h)


for degrees in 0, 60, 89, 90:
    J = jacobian(yaw, np.radians(degrees), roll)
    print(
        f"pitch {degrees:2}°  rank {np.linalg.matrix_rank(J, 1e-6)}  σ",
        np.linalg.svd(J, compute_uv=False).round(4),
    )
# --8<-- [end:rank]


# --8<-- [start:lock]
triples = (0, 90, 0), (40, 90, 0), (0, 90, -40), (70, 90, 30)
locked = {str(t): euler.to_matrix(*np.radians(t)) for t in triples}
draw_cube.row(locked)
# --8<-- [end:lock]


# --8<-- [start:blend]
start, end = np.radians([[0, 0, 0], [100, 60, -140]])
q0, q1 = (quaternion.from_matrix(euler.to_matrix(*a)) for a in (start, end))
q1 = q1 if q0 @ q1 > 0 else -q1  # the short way

t = np.linspace(0, 1, 61)
spherical = quaternion.slerp(q0, q1, t)
linear = np.outer(1 - t, q0) + np.outer(t, q1)
angles = np.outer(1 - t, start) + np.outer(t, end)
turns = {
    "slerp": quaternion.to_matrix(spherical),
    "nlerp": quaternion.to_matrix(linear),  # divides by |linear|
    "Euler": euler.to_matrix(*angles.T),
}
draw_cube.paths({name: path @ [1, 1, 1] for name, path in turns.items()})
# --8<-- [end:blend]


# --8<-- [start:speed]
speed = {}
for name, path in turns.items():
    steps = so3.log(path[1:] @ path[:-1].swapaxes(1, 2))
    speed[name] = 60 * np.degrees(np.linalg.norm(steps, axis=1))
    print(
        f"{name}  {speed[name].min():.1f} … {speed[name].max():.1f} °"
        f"  total {speed[name].mean():.1f} °"
    )
draw_cube.curves(speed, top=250)
# --8<-- [end:speed]
