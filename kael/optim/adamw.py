"""AdamW: Adam with decoupled weight decay."""

from kael.optim.adam import Adam

__all__ = ["AdamW"]


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameter directly: ``decoupled_weight_decay=True``.

    Arguments, defaults and state are those of ``torch.optim.AdamW``; the formulas are
    :class:`~kael.optim.Adam`'s.

    Parameters
    ----------
    params, lr, betas, eps, weight_decay, amsgrad
    maximize, foreach, capturable, differentiable, fused
        See :class:`~kael.optim.Adam`; ``weight_decay`` is 0.01 unless given.

    Raises
    ------
    ValueError
        If a rate or another option is out of its range.

    Notes
    -----
    Loshchilov and Hutter, "Decoupled weight decay regularization", 2017.
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=1e-2,
        amsgrad=False,
        *,
        maximize=False,
        foreach=None,
        capturable=False,
        differentiable=False,
        fused=None,
    ):
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
        )

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
