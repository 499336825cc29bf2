"""`horus-sim rl export`: a policy as an ONNX file, and its contract as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horus_sim.cli.rl_options import TasksOption, load_tasks
from horus_sim.cli.terminal import progress


def export(
    policy: Annotated[
        str,
        typer.Argument(
            metavar="POLICY",
            help="A task with a shipped policy, a policy.npz, the folder of a training, or a .zip "
            "or .pt of another tool; for the contract alone, any task.",
        ),
    ],
    *,
    onnx: Annotated[
        Path | None, typer.Option("--onnx", help="Write an ONNX file, with the contract inside.")
    ] = None,
    contract_to: Annotated[
        Path | None, typer.Option("--contract", help="Write the contract as JSON.")
    ] = None,
    tasks: TasksOption = None,
    own: Annotated[
        Path | None,
        typer.Option(
            "--from", help="Contract of a file of another tool; else the .json beside it."
        ),
    ] = None,
) -> None:
    """Write a policy as an ONNX file, and its contract as JSON."""
    from horus_sim.errors import PolicyError
    from horus_sim.rl.envs.contracting import task_contract
    from horus_sim.rl.policies.loading import load_any_policy
    from horus_sim.rl.policies.onnx_export import export_onnx, with_contract
    from horus_sim.rl.task_files.definitions import task_names
    from horus_sim.rl.training.policy import Policy, policy_names

    if onnx is None and contract_to is None:
        raise typer.BadParameter("say what to write: --onnx FILE, --contract FILE or both")
    load_tasks(tasks)
    is_task_alone = policy in task_names() and policy not in policy_names()
    if onnx is None and is_task_alone and not Path(policy).exists():
        contract = task_contract(policy)
    else:
        found = load_any_policy(policy, own)
        if onnx is not None and not isinstance(found, Policy):
            raise PolicyError(f"'{policy}' is an ONNX file already; leave out --onnx")
        with progress("writing"):
            whole = with_contract(found) if isinstance(found, Policy) else found
            contract = whole.contract
            if onnx is not None and isinstance(whole, Policy):
                export_onnx(whole, onnx)
                typer.echo(f"policy: {onnx}, the same actions to 1e-6")
    if contract_to is not None and contract is not None:
        contract.write(contract_to)
        typer.echo(f"contract: {contract_to}")
