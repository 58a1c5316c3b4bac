"""Right: several starts, and the one that fits best."""

from icp_scene import about_z, error, fit, scene
from registration import icp

# --8<-- [start:main]
if __name__ == "__main__":
    scan, room, T_true = scene()
    tries = [icp(scan, room, about_z(k * 45)) for k in range(8)]
    T = min(tries, key=lambda T: fit(T, scan, room))
    degrees, metres = error(T, T_true)
    print(
        f"off by {degrees:.2f} degrees, {metres:.3f} m; "
        f"fit {fit(T, scan, room):.3f} m"
    )
# --8<-- [end:main]
