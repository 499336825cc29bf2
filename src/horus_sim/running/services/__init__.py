"""The services of simulation_interfaces on a running world: state, steps, entities, spawning."""
