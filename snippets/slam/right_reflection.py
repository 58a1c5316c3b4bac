"""Right: umeyama flips the weakest direction, so that det R = +1."""

from board import boards, report
from registration import umeyama

# --8<-- [start:main]
if __name__ == "__main__":
    _, R, t = umeyama(*boards())
    report(R, t)
# --8<-- [end:main]
