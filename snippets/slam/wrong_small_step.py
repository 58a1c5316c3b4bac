"""Wrong: a one-sided difference with the smallest step that comes to mind."""

import numpy as np

from perturbation import PHI, P, exp, left_perturbation

if __name__ == "__main__":
    J = left_perturbation(PHI, P)
    # --8<-- [start:difference]
    h = 1e-14
    moved = [exp(d) @ exp(PHI) @ P for d in h * np.eye(3)]
    numeric = np.stack([(p - exp(PHI) @ P) / h for p in moved], axis=-1)
    # --8<-- [end:difference]
    print("same as the formula to 1e-2:", np.abs(J - numeric).max() < 1e-2)
