"""The figures of the papers, drawn again from the equations, with the data beside each.

Each robot with figures has a package here, with `DRAWINGS`, what makes each figure by its name, and `make_lab`, which
turns the robot into what they are made from.
"""

ROBOTS = ("three_link", "snake")
