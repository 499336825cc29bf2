"""PPO in one file, after CleanRL's manner: the whole loop in PyTorch over Gymnasium's interface.

Nothing here is of horus_sim but the environments. Two updates run here; with `--updates 60`, which
take a few minutes on a processor, nearly every episode is solved.
"""

import argparse
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Normal

import horus_sim.rl  # noqa: F401 - registers HorusSim/...

parser = argparse.ArgumentParser()
parser.add_argument("--task", default="HorusSim/NavigationOpen-v0")
parser.add_argument("--envs", type=int, default=256)
parser.add_argument("--steps", type=int, default=32, help="of each environment, between updates")
parser.add_argument("--updates", type=int, default=2)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--minibatch", type=int, default=2048)
parser.add_argument("--rate", type=float, default=1e-3)
parser.add_argument("--gamma", type=float, default=0.99)
parser.add_argument("--trace", type=float, default=0.95, help="lambda of the advantages")
parser.add_argument("--clip", type=float, default=0.2)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()

torch.set_num_threads(1)  # networks this small gain nothing from more
torch.manual_seed(args.seed)
envs = gymnasium.make_vec(args.task, num_envs=args.envs, autoreset_mode="SameStep")
space: Any = envs.single_action_space
low, high = torch.as_tensor(space.low), torch.as_tensor(space.high)
now = torch.as_tensor(envs.reset(seed=args.seed)[0])
columns, actions = now.shape[1], len(low)


def network(outputs: int, scale: float) -> nn.Sequential:
    """Two hidden layers; the last one begins near zero, so that first actions are small."""
    layers = (
        *(nn.Linear(columns, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh()),
        nn.Linear(64, outputs),
    )
    nn.init.orthogonal_(layers[-1].weight, scale)
    return nn.Sequential(*layers)


actor, critic = network(actions, 0.01), network(1, 1.0)
log_std = nn.Parameter(torch.zeros(actions))
weights = [*actor.parameters(), *critic.parameters(), log_std]
optimizer = torch.optim.Adam(weights, lr=args.rate, eps=1e-5)

shape = (args.steps, args.envs)
seen = torch.zeros((*shape, columns))
taken = torch.zeros((*shape, actions))
log_probs, rewards, values, done = (torch.zeros(shape) for _ in range(4))
steps = 0

for _ in range(args.updates):
    solved = ended = 0
    with torch.no_grad():
        for t in range(args.steps):
            policy = Normal(actor(now), log_std.exp())
            action = policy.sample()
            seen[t], taken[t] = now, action
            log_probs[t], values[t] = policy.log_prob(action).sum(1), critic(now)[:, 0]
            told = envs.step(torch.clamp(action, low, high).numpy())
            now = torch.as_tensor(told[0])
            reward, terminated, truncated, info = torch.as_tensor(told[1]), *told[2:]
            over = terminated | truncated
            rewards[t], done[t] = reward.float(), torch.as_tensor(over).float()
            if over.any():
                # Time ran out: the critic says what the rest would have been worth.
                cut = np.flatnonzero(truncated & ~terminated)
                last = torch.as_tensor(info["final_obs"][cut])
                rewards[t, cut] += args.gamma * critic(last)[:, 0]
                ended += int(over.sum())
                solved += int(info["final_info"]["success"].sum())
        # Advantages, backwards (Schulman et al., 2016).
        advantages, ahead, value = torch.zeros(shape), torch.zeros(args.envs), critic(now)[:, 0]
        for t in reversed(range(args.steps)):
            goes_on = 1.0 - done[t]
            surprise = rewards[t] + args.gamma * value * goes_on - values[t]
            ahead = surprise + args.gamma * args.trace * goes_on * ahead
            advantages[t], value = ahead, values[t]
        targets = advantages + values
    flat = [x.flatten(0, 1) for x in (seen, taken, log_probs, advantages, targets)]
    for _ in range(args.epochs):
        for rows in torch.randperm(args.steps * args.envs).split(args.minibatch):
            observed, acted, before, advantage, target = (x[rows] for x in flat)
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            policy = Normal(actor(observed), log_std.exp())
            ratio = (policy.log_prob(acted).sum(1) - before).exp()
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            gain = torch.min(ratio * advantage, clipped * advantage).mean()
            error = (critic(observed)[:, 0] - target).square().mean()
            loss = 0.5 * error - gain
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(weights, 0.5)
            optimizer.step()
    steps += args.steps * args.envs
    print(
        f"{steps} steps: reward {rewards.mean():+.4f} a step, {solved} of {ended} episodes solved"
    )
envs.close()
