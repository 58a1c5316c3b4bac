"""single.py against the same training written out in NumPy."""

import re

import numpy as np
import pytest
import torch

import single

torch.set_num_threads(1)  # as torchrun does; more only wait for each other


def numpy_training(dataset, model, rate=0.1, batch=64, epochs=3):
    """Mini-batch gradient descent with its gradients derived by hand."""
    x, y = (t.numpy() for t in dataset.tensors)
    x, one_hot = x.astype(np.float64), np.eye(2)[y]
    w1, b1, w2, b2 = (p.detach().double().numpy() for p in model.parameters())
    means = []
    for epoch in range(epochs):
        order = torch.randperm(
            len(x), generator=torch.Generator().manual_seed(epoch)
        )
        losses = []
        for chunk in order.numpy().reshape(-1, batch):
            inputs, target = x[chunk], one_hot[chunk]
            hidden = np.maximum(inputs @ w1.T + b1, 0)
            logits = hidden @ w2.T + b2
            p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
            losses.append(-np.log((p * target).sum(1)).mean())
            d_logits = (p - target) / batch
            d_hidden = d_logits @ w2 * (hidden > 0)
            w1 = w1 - rate * d_hidden.T @ inputs
            b1 = b1 - rate * d_hidden.sum(0)
            w2 = w2 - rate * d_logits.T @ hidden
            b2 = b2 - rate * d_logits.sum(0)
        means.append(np.mean(losses))
    return means, (w1, b1, w2, b2)


@pytest.mark.claim(
    zh="单进程训练打印的损失与最终权重",
    en="The losses and the final weights of single-process training",
    against_zh="NumPy 手写的前向、反向与 SGD（float64）",
    against_en="forward, backward and SGD written out in NumPy (float64)",
    tolerance="1e-4",
)
def test_training_equals_numpy(capsys):
    trained = single.train("cpu")
    printed = re.findall(r"epoch \d: loss ([\d.]+)\n", capsys.readouterr().out)
    losses, weights = numpy_training(
        single.make_dataset(), single.make_model()
    )
    np.testing.assert_allclose(
        [float(loss) for loss in printed], losses, atol=1e-4
    )
    for ours, theirs in zip(trained.parameters(), weights, strict=True):
        np.testing.assert_allclose(ours.detach().numpy(), theirs, atol=1e-4)


def test_the_example_can_be_learnt(capsys):
    model = single.train("cpu")
    x, y = single.make_dataset().tensors
    assert (model(x).argmax(1) == y).float().mean() > 0.95
    assert "epoch 2: loss 0.2167" in capsys.readouterr().out
