"""A policy drives a robot that it has never met, by topics alone; as an ONNX file if it can be."""

from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from horus_sim.rl.deploy.config import DeployConfig
from horus_sim.rl.deploy.session import Wishes, run_in_scene
from horus_sim.rl.envs.contracting import task_contract
from horus_sim.rl.policies.loading import load_any_policy
from horus_sim.rl.policies.onnx_export import export_onnx
from horus_sim.rl.training import load_policy
from horus_sim.sim3d import World

learned = load_policy("Navigation")
contract = task_contract("Navigation", learned.settings)
policy = learned.with_contract(contract)
for need in contract.needs():
    print(f"reads {need.topic}: {need.kind.__name__}")
for drive in contract.drives:
    print(f"sends {', '.join(drive.topics())}")

with TemporaryDirectory() as folder:
    acting = policy
    if find_spec("onnx") and find_spec("onnxruntime"):
        path = Path(folder) / "navigation.onnx"
        export_onnx(policy, path)
        acting = load_any_policy(path)
    world = World.load("warehouse")
    wishes = Wishes(goal=(1.0, 0.3, 0.0))
    print(run_in_scene(world, contract, acting, DeployConfig(), wishes, print))
