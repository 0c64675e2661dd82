"""What the optimizers whose step is one call of a compiled plan have in common."""

from kael._kernels import optim as kernels
from kael.optim.clip import clipping
from kael.optim.optimizer import Optimizer

__all__ = ["Fused"]

# Options that the groups of older checkpoints may lack, and what they stood at then.
ADDED_LATER = {
    "amsgrad": False,
    "capturable": False,
    "centered": False,
    "decoupled_weight_decay": False,
    "differentiable": False,
    "foreach": None,
    "fused": None,
    "maximize": False,
    "momentum": 0,
    "nesterov": False,
}


class Fused(Optimizer):
    """An optimizer that updates all parameters in one region, by the kernel rule ``_rule``."""

    _rule = None
    _plan = None
    total_norm = None

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for key, value in ADDED_LATER.items():
                if key in self.defaults:
                    group.setdefault(key, value)

    def step(self, closure=None, *, max_norm=None, norm_type=2.0, zero_grad=False):
        """Updates every parameter that has a gradient.

        Clipping and zeroing here cost no pass over memory of their own: with ``max_norm`` the
        gradients are scaled as they are read (the numbers are those of ``clip_grad_norm_`` before
        the step; the gradients themselves stay as they are, only their norm takes a pass), with
        ``zero_grad`` they are zeroed in the same pass, in place.

        Parameters
        ----------
        closure : callable, optional
            Evaluates the model again and returns the loss, which ``step`` returns.
        max_norm : float, optional
            Clip the gradients of all groups together; ``total_norm`` then holds their norm.
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
        if self._plan is None:
            # another thread may have been here
            self.__dict__.setdefault("_plan", kernels.Rule(self._rule))
        factor = 1.0 if max_norm is None else clipping(self, max_norm, norm_type)
        self._plan.step(self.param_groups, self.state, factor, zero_grad)
        return loss
