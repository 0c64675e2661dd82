"""L-BFGS: Newton's method with a Hessian remembered from the last steps."""

from kael._kernels import plan as kernels
from kael.autograd import enable_grad, no_grad
from kael.creation import zeros
from kael.ops.pieces import cat
from kael.optim.composed import turn
from kael.optim.optimizer import Optimizer
from kael.optim.options import check_not_negative, one_number
from kael.optim.wolfe import Point, strong_wolfe

__all__ = ["LBFGS"]


def check_alone(groups):
    """Raises PyTorch's error where a second group would be passed over in silence."""
    if len(groups) != 1:
        raise AssertionError(f"Expected exactly one param_group, but got {len(groups)}")


class LBFGS(Optimizer):
    """L-BFGS, with the arguments, defaults and state of ``torch.optim.LBFGS``.

    One ``step`` makes up to ``max_iter`` iterations and calls the closure once or more in each. All
    products of vectors are folds in double. It keeps ``2 * history_size`` copies of the parameters.

    Parameters
    ----------
    params : iterable
        One group of tensors of one dtype; float32 or float64.
    lr : float or Tensor of one element
    max_iter : int
    max_eval : int, optional
        Evaluations per step; ``max_iter * 5 // 4`` unless given.
    tolerance_grad, tolerance_change : float
        A largest gradient, a change of loss or parameters below which the step ends.
    history_size : int
    line_search_fn : "strong_wolfe", optional
        Without it every iteration moves by ``lr``.

    Raises
    ------
    ValueError
        More than one group of parameters.
    RuntimeError
        A line search of another name, at the first step.

    Notes
    -----
    Liu and Nocedal, "On the limited memory BFGS method for large scale optimization", 1989.

    Examples
    --------
    >>> w = kael.ones(3, requires_grad=True)
    >>> optimizer = kael.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (w * w).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure).item()
    3.0
    """

    def __init__(
        self,
        params,
        lr=1,
        max_iter=20,
        max_eval=None,
        tolerance_grad=1e-7,
        tolerance_change=1e-9,
        history_size=100,
        line_search_fn=None,
    ):
        lr = one_number(lr, "lr")
        check_not_negative("learning rate", lr)
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @no_grad()
    def step(self, closure):
        """Minimises what the closure returns.

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
        AssertionError
            A group was added after the construction.
        """
        with turn(self):
            check_alone(self.param_groups)
            return self._minimise(enable_grad()(closure))

    def _minimise(self, closure):
        group = self.param_groups[0]
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        first = closure()
        self._check_gradients()
        state = self.state[group["params"][0]]
        state["func_evals"] = state.get("func_evals", 0) + 1
        state.setdefault("n_iter", 0)
        loss, gradient, evaluations = float(first), self._gradient(), 1
        iterations = 0
        while iterations < group["max_iter"] and not _small(gradient, group["tolerance_grad"]):
            iterations += 1
            state["n_iter"] += 1
            slope = self._aim(state, gradient, loss)
            if slope > -group["tolerance_change"]:
                break
            last = iterations == group["max_iter"]
            loss, gradient, count = self._move(closure, state, slope, evaluations, last)
            evaluations += count
            state["func_evals"] += count
            if last or evaluations >= group["max_eval"] or self._settled(state, loss):
                break
        return first

    def _aim(self, state, gradient, loss):
        """Chooses direction ``d`` and first step ``t``; returns the slope along the direction."""
        group = self.param_groups[0]
        if state["n_iter"] == 1:
            state.update(d=-gradient, old_dirs=[], old_stps=[], ro=[], H_diag=1)
            t = min(1.0, 1.0 / gradient.abs().sum().item()) * float(group["lr"])
        else:
            _remember(state, gradient, group["history_size"])
            state["d"] = _direction(state, gradient, group["history_size"])
            t = float(group["lr"])
        state.update(t=t, prev_flat_grad=gradient.clone(), prev_loss=loss)
        return gradient.dot(state["d"]).item()

    def _move(self, closure, state, slope, evaluations, last):
        """Moves along the direction; the new loss and gradient, and evaluations made."""
        group = self.param_groups[0]
        loss, gradient, count = state["prev_loss"], state["prev_flat_grad"], 0
        if group["line_search_fn"] is not None:
            point, count = strong_wolfe(
                lambda t: self._probe(closure, t, state["d"]),
                Point(0.0, loss, gradient, slope),
                state["t"],
                state["d"].abs().max().item(),
                1e-9,
                group["max_eval"] - evaluations,
            )
            state["t"], loss, gradient = point.t, point.value, point.gradient
        self._add(state["d"] * state["t"])
        if group["line_search_fn"] is None and not last:
            loss, count = float(closure()), 1
            gradient = self._gradient()
        return loss, gradient, count

    def _probe(self, closure, t, direction):
        """The point at a step, the parameters being put back afterwards."""
        kept = [p.clone() for p in self.param_groups[0]["params"]]
        self._add(direction * t)
        try:
            value = float(closure())
            gradient = self._gradient()
        finally:
            for p, old in zip(self.param_groups[0]["params"], kept, strict=True):
                p.copy_(old)
        return Point(t, value, gradient, gradient.dot(direction).item())

    def _settled(self, state, loss):
        """Whether the last iteration changed nothing to speak of."""
        tolerance = self.param_groups[0]["tolerance_change"]
        return (
            _small(state["d"] * state["t"], tolerance) or abs(loss - state["prev_loss"]) < tolerance
        )

    def _check_gradients(self):
        """Raises what the step would."""
        params = self.param_groups[0]["params"]
        pairs = [(p, p.grad) for p in params if p.grad is not None]
        kernels.check([p for p, _ in pairs], [g for _, g in pairs], "LBFGS")
        if len({p.dtype for p in params}) > 1:
            raise TypeError("LBFGS: the parameters must be of one dtype")

    def _gradient(self):
        """All gradients as one vector of its own memory; 0 for a parameter without one."""
        return cat(
            [
                zeros(p.numel(), dtype=p.dtype) if p.grad is None else p.grad.detach().reshape(-1)
                for p in self.param_groups[0]["params"]
            ]
        )

    def _add(self, update):
        start = 0
        for p in self.param_groups[0]["params"]:
            p.add_(update[start : start + p.numel()].reshape(p.shape))
            start += p.numel()


def _small(x, tolerance):
    return x.abs().max().item() <= tolerance


def _remember(state, gradient, history_size):
    """Adds the last change of the gradient and of the parameters to the history."""
    y = gradient - state["prev_flat_grad"]
    s = state["d"] * state["t"]
    ys = y.dot(s)
    if not ys.item() > 1e-10:
        return
    for key, value in (("old_dirs", y), ("old_stps", s), ("ro", 1.0 / ys)):
        if len(state[key]) == history_size:
            state[key].pop(0)
        state[key].append(value)
    state["H_diag"] = ys / y.dot(y)


def _direction(state, gradient, history_size):
    """The gradient times the remembered inverse Hessian, downhill: the two-loop recursion."""
    history = list(zip(state["old_dirs"], state["old_stps"], state["ro"], strict=True))
    al = state.setdefault("al", [None] * history_size)
    q = -gradient
    for i, (y, s, ro) in reversed(list(enumerate(history))):
        al[i] = s.dot(q) * ro
        q.sub_(y * al[i])
    r = q * state["H_diag"]
    for i, (y, s, ro) in enumerate(history):
        r.add_(s * (al[i] - y.dot(r) * ro))
    return r
