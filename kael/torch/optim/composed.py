"""The optimizers whose step is written with kael's operations, on the memory of PyTorch's tensors.

A parameter, its gradient and its state become kael's tensors without a copy (of 16-bit ones a
float32 copy is stepped and rounded back once), and the update is the one of ``kael.optim``.
"""

import torch
import torch.optim as _torch

from kael import from_dlpack
from kael._kernels.torch_step import TorchStep
from kael.autograd import no_grad
from kael.optim import adafactor, lbfgs, muon
from kael.optim.composed import turn
from kael.torch import tensors
from kael.torch.optim.compiled import Compiled, with_hooks
from kael.torch.tensors import HALVES

__all__ = ["LBFGS", "Adafactor", "Muon"]

REAL = (torch.float32, torch.float64, *HALVES)


def computed_in(t):
    """The dtype of kael's in which a tensor is computed, as PyTorch's."""
    return torch.float32 if t.dtype in HALVES else t.dtype


def as_kaels(t):
    """A tensor of kael's: on the same memory, or a float32 copy."""
    return from_dlpack(t.detach().to(computed_in(t)).resolve_neg())


def check(t, like, op, what):
    """Raises unless a step can take a tensor, which goes with a parameter."""
    tensors.check_kind(t, op, what)
    tensors.check_place(t, op, what)
    if t.dtype not in REAL or (what != "gradients" and t.is_neg()):
        tensors.refuse(t, op, what)
    if computed_in(t) != computed_in(like):
        raise TypeError(
            f"{op}: one of the {what}, of {t.dtype}, does not go with a parameter of {like.dtype}"
        )
    if (
        what != "gradients"
        and t.numel() > 0
        and any(n > 1 and stride == 0 for n, stride in zip(t.shape, t.stride(), strict=True))
    ):
        raise RuntimeError(f"{op}: one of the {what} shows one element at several places")


class Composed(Compiled):
    """Updates one parameter at a time, in order, by ``_change``."""

    def _update(self, factor, clear):
        with turn(self), torch.no_grad(), no_grad():
            work = [
                (group, p)
                for group in self.param_groups
                for p in group["params"]
                if p.grad is not None
            ]
            states = [
                self._ready(group, p, p.grad, self.state.get(p, {}), clear) for group, p in work
            ]
            for (group, p), state in zip(work, states, strict=True):
                self.state[p].update(state)
                self._step_one(group, p, p.grad, state, factor)
            if clear:
                tensors.clear([p.grad for _, p in work])

    def _ready(self, group, p, g, state, clear=False):
        """The state of a parameter, made where it is absent; raises what the step would."""
        name = type(self).__name__
        tensors.check_storing(group)
        if p.is_complex():
            raise RuntimeError(f"{name} does not support complex parameters")
        if g.is_sparse:
            raise RuntimeError(f"{name} does not support sparse gradients")
        check(p, p, name, "parameters")
        check(g, p, name, "gradients")
        if clear:
            check(g, p, name, "gradients, which are to be zeroed,")
        if g.shape != p.shape:
            raise ValueError(
                f"{name}: the gradient {tuple(g.shape)} does not have the shape "
                f"of its parameter {tuple(p.shape)}"
            )
        ready = self._initial(group, p)
        if group.get("master_weights") and p.dtype in HALVES:
            master = tensors.new_master(p)
            ready = {**self._initial(group, master), "master_param": master}
        for key, value in ready.items():
            found = state.get(key)
            if found is None:
                continue
            if key == "step":
                plain = torch.is_tensor(found) and found.dtype in (torch.float32, torch.float64)
                ready[key] = found if plain else value.fill_(float(found))
                continue
            check(found, p, name, "states")
            if found.shape != value.shape:
                raise ValueError(f"{name}: state {key!r} does not match {tuple(p.shape)}")
            if key == "master_param" and found.dtype != torch.float32:
                raise TypeError(f"{name}: state {key!r} must be float32, got {found.dtype}")
            ready[key] = found
        return ready

    def _step_one(self, group, p, g, state, factor):
        state = dict(state)
        master = state.pop("master_param", None)
        if master is not None:
            tensors.renew(master, p)
        changed = p if master is None else master
        seen = {key: as_kaels(t) for key, t in state.items()}
        g, q = as_kaels(g), as_kaels(changed)
        self._change(group, q, g if factor == 1.0 else g * factor, seen, changed.dtype)
        tensors.increment_version([p, changed, *state.values()])
        seen[None], state[None] = q, p
        rounded = [
            (t, torch.from_dlpack(seen[key])) for key, t in state.items() if t.dtype in HALVES
        ]
        if p.dtype in HALVES and group.get("stochastic_rounding"):
            _, value = rounded.pop()
            self._store_drawn(group, p, value)
        tensors.put_back(rounded)

    def _store_drawn(self, group, p, value):
        """Rounds a new value into its 16-bit parameter at random."""
        if self._compiled is None:  # all steps take turns
            self._compiled = TorchStep("assign", type(self).__name__, tensors)
        self._compiled.update([p], [value], [{}], group)

    def _initial(self, group, p):
        """A fresh state; refuses a group whose options the update cannot take."""
        raise NotImplementedError

    def _change(self, group, p, g, state, dtype):
        """Changes tensors of kael's; dtype is the parameter's own."""
        raise NotImplementedError


def update(kind, params, grads, states, group):
    """One step without an optimizer; adds to the states, which are dicts, what is absent."""
    stepper = kind.__new__(kind)
    with torch.no_grad(), no_grad():
        several = list(zip(params, grads, states, strict=True))
        for (p, g, state), ready in zip(
            several, [stepper._ready(group, *each) for each in several], strict=True
        ):
            state.update(ready)
            stepper._step_one(group, p, g, ready, 1.0)


class Adafactor(Composed, _torch.Adafactor):
    """``torch.optim.Adafactor``, by the formula of :class:`kael.optim.Adafactor`."""

    def _initial(self, group, p):
        step = torch.tensor(0.0)
        if p.dim() < 2:
            return {"step": step, "variance": torch.zeros_like(p)}
        *batch, rows, columns = p.shape
        return {
            "step": step,
            "row_var": p.new_zeros(*batch, rows, 1),
            "col_var": p.new_zeros(*batch, 1, columns),
        }

    def _change(self, group, p, g, state, dtype):
        least, least_size = group["eps"]
        least = torch.finfo(dtype).eps if least is None else least
        adafactor.update({**group, "eps": (least, least_size)}, p, g, state)


class Muon(Composed, _torch.Muon):
    """``torch.optim.Muon``, by the formula of :class:`kael.optim.Muon`."""

    def _initial(self, group, p):
        muon.check(group)
        return {"momentum_buffer": torch.zeros_like(p)}

    def _change(self, group, p, g, state, dtype):
        muon.update(group, p, g, state)


class LBFGS(Compiled, _torch.LBFGS):
    """``torch.optim.LBFGS``, by the formulas of :class:`kael.optim.LBFGS`.

    Takes parameters of float32 and float64, and complex ones as pairs of real numbers; of 16 bits
    none, so that it refuses the options for them.
    """

    def _check(self, group):
        super()._check(group)
        if group.get("master_weights") or group.get("stochastic_rounding"):
            raise ValueError("LBFGS: takes no 16-bit parameters to store in another way")

    @with_hooks
    def step(self, closure):
        """Minimises what the closure returns, as PyTorch's method does.

        Parameters
        ----------
        closure : callable
            Clears the gradients, computes the loss, calls ``backward`` and returns the loss.

        Returns
        -------
        Tensor
            The loss before the step.

        Raises
        ------
        TypeError
            A tensor that the update cannot take. Nothing is changed then.
        AssertionError
            A group was added after the construction.
        """
        with turn(self), torch.no_grad(), no_grad():
            lbfgs.check_alone(self.param_groups)
            for p in self.param_groups[0]["params"]:
                self._check_tensor(p, "parameters")
            return _Twin(self).minimise(torch.enable_grad()(closure))

    def _check_tensor(self, t, what):
        tensors.check_kind(t, "LBFGS", what)
        tensors.check_place(t, "LBFGS", what)
        if t.dtype in HALVES or not (t.is_complex() or t.is_floating_point()):
            raise TypeError(
                f"LBFGS: {what} must be float32, float64, complex64 or complex128, got {t.dtype}"
            )
        if what == "parameters" and (t.is_neg() or t.is_conj()):
            tensors.refuse(t, "LBFGS", what)


class _Twin:
    """kael's optimizer on the parameters of PyTorch's, for one step."""

    def __init__(self, optimizer):
        self.optimizer = optimizer
        group = optimizer.param_groups[0]
        self.params = group["params"]
        options = {key: group[key] for key in OPTIONS}
        self.twin = lbfgs.LBFGS([self.real(p) for p in self.params], float(group["lr"]), **options)
        self.borrowed = {}
        self.state = self.twin.state[self.twin.param_groups[0]["params"][0]]

    @staticmethod
    def real(t):
        t = t.detach().resolve_conj().resolve_neg()
        return from_dlpack(torch.view_as_real(t) if t.is_complex() else t)

    def borrow(self, t):
        mine = self.real(t)
        self.borrowed[id(mine)] = mine, t
        return mine

    def give_back(self, mine):
        """The tensor that was borrowed: a view of a view at every step would be a long chain."""
        _, t = self.borrowed.get(id(mine), (None, None))
        return torch.from_dlpack(mine) if t is None else t

    def minimise(self, closure):
        kept = self.optimizer.state.get(self.params[0], {})
        self.state.update({key: between(value, self.borrow) for key, value in kept.items()})
        try:
            return self.twin._minimise(lambda: self.evaluate(closure))
        finally:
            if self.state:
                self.optimizer.state[self.params[0]].update(
                    {key: between(value, self.give_back) for key, value in self.state.items()}
                )

    def evaluate(self, closure):
        """The loss; the gradients go over to the twin."""
        tensors.increment_version(self.params)
        loss = closure()
        for p, q in zip(self.params, self.twin.param_groups[0]["params"], strict=True):
            g = p.grad
            if g is None:
                q.grad = None
                continue
            g = g.to_dense() if g.is_sparse else g
            self.optimizer._check_tensor(g, "gradients")
            q.grad = self.real(g)
        return loss


OPTIONS = (
    "max_iter", "max_eval", "tolerance_grad", "tolerance_change", "history_size", "line_search_fn",
)  # fmt: skip


def between(value, convert):
    """A value of the state in which all tensors are converted."""
    if isinstance(value, list):
        return [between(v, convert) for v in value]
    return convert(value) if hasattr(value, "__dlpack__") else value
