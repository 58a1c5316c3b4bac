"""What the track's page says of other libraries' conventions, asked of them."""

import gtsam
import numpy as np
import pypose as pp
import pytransform3d.rotations as rotations
import pytransform3d.transformations as transformations
import torch
from scipy.spatial.transform import RigidTransform, Rotation

import quaternion
import se3
import so3

PHI = np.array([0.3, -0.5, 0.8])
XI = np.array([1.0, -2.0, 0.5, *PHI])
FLIPPED = np.array([*PHI, 1.0, -2.0, 0.5])  # [phi, rho]
Q, T = quaternion.from_rotvec(PHI), se3.exp(XI)
D = 0.1 * XI
XYZW = np.r_[Q[1:], Q[0]]


def test_scipy():
    R = Rotation.from_rotvec(PHI)
    np.testing.assert_allclose(R.as_quat(), XYZW, atol=1e-14)
    np.testing.assert_allclose(R.as_quat(scalar_first=True), Q, atol=1e-14)
    np.testing.assert_allclose(RigidTransform.from_exp_coords(FLIPPED).as_matrix(), T, atol=1e-14)


def test_gtsam():
    q = gtsam.Rot3.Expmap(PHI).toQuaternion()
    np.testing.assert_allclose([q.w(), q.x(), q.y(), q.z()], Q, atol=1e-14)
    pose = gtsam.Pose3.Expmap(FLIPPED)
    np.testing.assert_allclose(pose.matrix(), T, atol=1e-14)
    moved = pose.compose(gtsam.Pose3.Expmap(np.r_[D[3:], D[:3]]))
    np.testing.assert_allclose(pose.retract(np.r_[D[3:], D[:3]]).matrix(), moved.matrix(), atol=1e-14)
    np.testing.assert_allclose(moved.matrix(), T @ se3.exp(D), atol=1e-14)


def test_pytransform3d():
    np.testing.assert_allclose(rotations.quaternion_from_matrix(so3.exp(PHI)), Q, atol=1e-14)
    np.testing.assert_allclose(
        transformations.transform_from_exponential_coordinates(FLIPPED), T, atol=1e-14)
    np.testing.assert_allclose(rotations.left_jacobian_SO3(PHI), so3.left_jacobian(PHI), atol=1e-14)


def test_pypose():
    X = pp.se3(torch.tensor(XI)).Exp()
    np.testing.assert_allclose(X.matrix().numpy(), T, atol=1e-14)
    np.testing.assert_allclose(X.tensor()[3:].numpy(), XYZW, atol=1e-14)
    np.testing.assert_allclose((X + torch.tensor(D)).matrix().numpy(), se3.exp(D) @ T, atol=1e-14)
