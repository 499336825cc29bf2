"""Perceptrons with gradients written out, on one flat tensor of parameters.

Autograd would take twice the time for networks as small as those of control: it allocates every
intermediate, and PyTorch's tanh alone takes as long as the matrices. Here memory is taken once, in
pieces that stay in a processor's cache, and NumPy computes tanh in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import torch  # pyright: ignore[reportMissingImports]

Tensor = Any
Layer = tuple[Tensor, Tensor]

_aten = torch.ops.aten


def _tanh(values: Tensor) -> None:
    array = values.numpy()
    np.tanh(array, out=array)


def _tanh_slope(gradient: Tensor, values: Tensor) -> None:
    _aten.tanh_backward.grad_input(gradient, values, grad_input=gradient)


def _relu_slope(gradient: Tensor, values: Tensor) -> None:
    _aten.threshold_backward.grad_input(gradient, values, 0.0, grad_input=gradient)


def _elu_slope(gradient: Tensor, values: Tensor) -> None:
    numbers = {"alpha": 1.0, "scale": 1.0, "input_scale": 1.0, "is_result": True}
    _aten.elu_backward.grad_input(gradient, **numbers, self_or_result=values, grad_input=gradient)


# Of each activation: what replaces values, and what brings a gradient from behind it before it,
# given what it returned.
_ACTIVATIONS: dict[str, tuple[Callable[[Tensor], Any], Callable[[Tensor, Tensor], None]]] = {
    "tanh": (_tanh, _tanh_slope),
    "relu": (torch.relu_, _relu_slope),
    "elu": (torch.nn.functional.elu_, _elu_slope),
}


class Perceptron:
    """Layers with an activation between them.

    Args:
        sizes: Numbers of inputs, of each hidden layer and of outputs.
        activation: 'tanh', 'relu' or 'elu'.
    """

    def __init__(self, sizes: Sequence[int], activation: str) -> None:
        self._shapes = [(outputs, inputs) for inputs, outputs in pairwise(sizes)]
        self._activate, self._slope = _ACTIVATIONS[activation]
        self._layers: list[Layer] = []

    @property
    def count(self) -> int:
        """How many parameters there are."""
        return sum(prod(shape) + shape[0] for shape in self._shapes)

    def views(self, flat: Tensor) -> list[Layer]:
        """Weights (outputs, inputs) and biases (outputs,) within a flat tensor of `count`."""
        layers, start = [], 0
        for shape in self._shapes:
            middle = start + prod(shape)
            end = middle + shape[0]
            layers.append((flat[start:middle].view(shape), flat[middle:end]))
            start = end
        return layers

    def live_in(self, flat: Tensor) -> None:
        """Takes its parameters from a flat tensor, from now on."""
        self._layers = self.views(flat)

    def begin(self, gain: float, random: torch.Generator) -> None:
        """Draws orthogonal weights, with this gain in the last layer, and biases of 0."""
        for number, (weight, bias) in enumerate(self._layers):
            is_last = number + 1 == len(self._layers)
            scale = gain if is_last else float(np.sqrt(2))
            torch.nn.init.orthogonal_(weight, scale, generator=random)
            bias.zero_()

    def workspace(self, rows: int) -> Workspace:
        """Memory for passes over at most that many rows."""
        return Workspace([shape[0] for shape in self._shapes], rows, self.count, self.views)

    def forward(self, inputs: Tensor, work: Workspace) -> Tensor:
        """Outputs, shape (rows, outputs), in the workspace; they hold until its next use."""
        values = inputs
        for number, (weight, bias) in enumerate(self._layers):
            if number:
                self._activate(values)
            values = torch.addmm(bias, values, weight.T, out=work.values[number][: len(inputs)])
        return values

    def backward(self, inputs: Tensor, gradient: Tensor, work: Workspace) -> None:
        """Writes the gradient of parameters into `work.gradient`, after `forward` of these inputs.

        Args:
            inputs: Shape (rows, inputs).
            gradient: Of the outputs, shape (rows, outputs).
            work: That of `forward`.
        """
        rows = len(inputs)
        for number in range(len(self._layers) - 1, -1, -1):
            before = work.values[number - 1][:rows] if number else inputs
            weight, bias = work.gradients[number]
            torch.mm(gradient.T, before, out=weight)
            torch.sum(gradient, 0, out=bias)
            if number:
                slot = work.slopes[number - 1][:rows]
                gradient = torch.mm(gradient, self._layers[number][0], out=slot)
                self._slope(gradient, before)

    def layers(self) -> tuple[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]], ...]:
        """Copies of weights (inputs, outputs) and biases (outputs,)."""
        return tuple(
            (weight.numpy().T.copy(), bias.numpy().copy()) for weight, bias in self._layers
        )


class Workspace:
    """Memory of a pass through a perceptron.

    Attributes:
        values: Output of each layer, shape (rows, outputs) each.
        slopes: Gradients of them but for the last layer's.
        gradient: Gradient of all parameters, flat.
        gradients: The same by layers.
    """

    def __init__(
        self, widths: list[int], rows: int, count: int, views: Callable[[Tensor], list[Layer]]
    ) -> None:
        self.values = [torch.zeros(rows, width) for width in widths]
        self.slopes = [torch.zeros(rows, width) for width in widths[:-1]]
        self.gradient = torch.zeros(count)
        self.gradients = views(self.gradient)
