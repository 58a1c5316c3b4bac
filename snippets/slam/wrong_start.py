"""Wrong: one start, 45 degrees off; ICP stops in the wrong place."""

from icp_scene import about_z, error, fit, scene
from registration import icp

# --8<-- [start:main]
if __name__ == "__main__":
    scan, room, T_true = scene()
    T = icp(scan, room, about_z(30))
    degrees, metres = error(T, T_true)
    print(
        f"off by {degrees:.2f} degrees, {metres:.3f} m; "
        f"fit {fit(T, scan, room):.3f} m"
    )
# --8<-- [end:main]
