"""What the optimizers whose step is written with kael's operations have in common."""

from kael._kernels import plan as kernels
from kael._kernels.step import Step
from kael.autograd import no_grad
from kael.optim.clip import clipping
from kael.optim.optimizer import Optimizer
from kael.tensor import Tensor

__all__ = ["Composed", "turn"]


def turn(optimizer):
    """The lock to hold for the length of a step; another one after a fork."""
    lock = optimizer.__dict__.get("_turns")
    if lock is None:  # another thread may be here too
        lock = optimizer.__dict__.setdefault("_turns", Step())
    return lock.alone()


class Composed(Optimizer):
    """An optimizer whose subclasses update one parameter at a time, in order."""

    total_norm = None

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("foreach", None)

    def step(self, closure=None, *, max_norm=None, norm_type=2.0, zero_grad=False):
        """Updates every parameter that has a gradient.

        Parameters
        ----------
        closure : callable, optional
            Evaluates the model again and returns the loss, which ``step`` returns.
        max_norm : float, optional
            Clip the gradients of all groups together, which stay as they are; ``total_norm`` then
            holds their norm.
        norm_type : float
            As in :func:`~kael.optim.clip_grad_norm_`.
        zero_grad : bool
            Leave zeros in the gradients that were used.

        Returns
        -------
        Tensor or None
            What the closure returned.

        Raises
        ------
        TypeError, ValueError, RuntimeError
            A dtype, a shape or a memory that the update cannot take. Nothing is changed then.
        """
        loss = self._evaluate(closure)
        with turn(self), no_grad():
            work = [
                (group, p)
                for group in self.param_groups
                for p in group["params"]
                if p.grad is not None
            ]
            gradients = [p.grad for _, p in work]
            kernels.check([p for _, p in work], gradients, type(self).__name__)
            if zero_grad:  # can they be written?
                kernels.check(gradients, gradients, type(self).__name__)
            factor = 1.0 if max_norm is None else clipping(self, max_norm, norm_type)
            states = [self._ready(group, p) for group, p in work]
            for (group, p), state in zip(work, states, strict=True):
                self.state[p].update(state)
                g = p.grad if factor == 1.0 else p.grad * factor
                self._update(group, p, g, self.state[p])
            if zero_grad:
                for g in gradients:
                    g.zero_()
        return loss

    def _ready(self, group, p):
        """The state of a parameter, made where it is absent; raises what the step would."""
        wanted = self._initial(group, p)
        state = self.state.get(p, {})
        for key, value in wanted.items():
            found = state.get(key)
            if found is None:
                continue
            if key == "step" and not isinstance(found, Tensor):
                wanted[key] = value.fill_(float(found))
                continue
            if getattr(found, "shape", None) != value.shape:
                raise ValueError(f"{type(self).__name__}: state {key!r} does not match {p.shape}")
            if key != "step" and found.dtype != p.dtype:
                raise ValueError(
                    f"{type(self).__name__}: state {key!r} of {found.dtype.name} does not match "
                    f"a parameter of {p.dtype.name}"
                )
            if found.dtype.is_floating_point:
                kernels.check([found], [found], type(self).__name__)  # can it be written?
            wanted[key] = found
        return wanted

    def _initial(self, group, p):
        """A fresh state; refuses a group whose options the update cannot take."""
        raise NotImplementedError

    def _update(self, group, p, g, state):
        """Changes p and its state; nothing here may refuse."""
        raise NotImplementedError
