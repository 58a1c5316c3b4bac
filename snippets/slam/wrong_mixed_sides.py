"""Wrong: the Jacobian is a left perturbation's, the update a right one's."""

from gauss_newton import POINTS, SEEN, START, distances, solve
from se3 import exp, odot


# --8<-- [start:mixed]
def mixed(T, p):
    return odot(T, p)[:, :3], lambda d: T @ exp(d)


# --8<-- [end:mixed]


if __name__ == "__main__":
    errors = distances(solve(mixed, START, POINTS, SEEN, 6))
    for i in range(7):
        print(f"iteration {i}: {errors[i]:.2f} from the solution")
