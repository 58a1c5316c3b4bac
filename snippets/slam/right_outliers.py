"""Right: keep the nearest three quarters of the pairs (trimmed ICP)."""

from icp_scene import error, scene
from registration import icp

# --8<-- [start:main]
if __name__ == "__main__":
    scan, room, T_true = scene(outliers=24)  # of 120
    T = icp(scan, room, keep=0.75)
    degrees, metres = error(T, T_true)
    print(f"off by {degrees:.2f} degrees, {metres:.3f} m")
# --8<-- [end:main]
