"""Wrong: central differences with the smallest step that comes to mind."""

import numpy as np

from perturbation import PHI, P, exp, left_perturbation

if __name__ == "__main__":
    J, RP = left_perturbation(PHI, P), exp(PHI) @ P
    # --8<-- [start:difference]
    h = 1e-14
    ends = [(exp(d) @ RP, exp(-d) @ RP) for d in h * np.eye(3)]
    numeric = np.stack([(a - b) / (2 * h) for a, b in ends], axis=-1)
    # --8<-- [end:difference]
    print("same as the formula to 1e-2:", np.abs(J - numeric).max() < 1e-2)
