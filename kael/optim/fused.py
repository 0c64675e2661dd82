"""What the optimizers whose step is one call of a compiled plan have in common."""

from kael.optim.optimizer import Optimizer

__all__ = ["Fused"]


class Fused(Optimizer):
    """An optimizer that updates all parameters in one region: ``_rule()`` makes its plan."""

    _rule = None
    _plan = None

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
            self._plan = self._rule()
        self._plan.step(self.param_groups, self.state)
        return loss
