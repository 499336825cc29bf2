"""What `horus_sim.sim2d` offers."""

import horus_sim.sim2d as sim2d


def test_all_names_exist_and_are_sorted():
    assert sorted(sim2d.__all__) == sorted(set(sim2d.__all__))
    assert all(hasattr(sim2d, name) for name in sim2d.__all__)
