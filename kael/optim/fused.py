"""What the optimizers whose step is one call of a compiled plan have in common."""

from kael._kernels import optim as kernels
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

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for key, value in ADDED_LATER.items():
                if key in self.defaults:
                    group.setdefault(key, value)

    def step(self, closure=None):
        """Updates every parameter that has a gradient.

        Parameters
        ----------
        closure : callable, optional
            Evaluates the model again and returns the loss, which ``step`` returns.

        Raises
        ------
        TypeError, ValueError, RuntimeError
            A dtype, a shape or a memory that the update cannot take. Nothing is changed then.
        """
        loss = self._evaluate(closure)
        if self._plan is None:
            self._plan = kernels.Rule(self._rule)
        self._plan.step(self.param_groups, self.state)
        return loss
