"""`python -m horus_sim.cli`: the command `horus-sim`, where its script is not at hand."""

from horus_sim.cli.program import horus_sim

if __name__ == "__main__":
    horus_sim()
