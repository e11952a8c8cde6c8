"""Trainings by gradients."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _spikelet
from ._spikelet import SpikeletError
from .device import device_request, quiet_drivers, whole_number
from .network import FileLike, NetworkLike, Source, source
from .progress import watching
from .warning import SpikeletWarning

#: What is read of a batch, ``[sample, unit]`` or ``[sample, step, unit]`` for each term of the loss, and its targets: the loss, and its
#: derivatives by these arrays.
Loss: TypeAlias = Callable[[list[NDArray[np.float32]], NDArray[Any]], tuple[float, Sequence[ArrayLike]]]


@dataclass
class Samples:
    """Input spikes with what a network should answer.

    Args:
        times: the times in ms of all spikes, sample by sample.
        channels: the neuron of the input of each.
        offsets: the first spike of each sample, and the number of all spikes.
        labels: the class of each sample; or
        targets: the values of each sample, equally many: ``[sample, value]``.

    >>> samples = Samples.of([([1.0, 4.5], [0, 2]), ([3.0], [1])], labels=[0, 1])
    >>> len(samples), samples.offsets.tolist()
    (2, [0, 2, 3])
    """

    times: NDArray[np.float64]
    channels: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    labels: NDArray[np.uint32] | None = None
    targets: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        self.times = np.ascontiguousarray(self.times, np.float64).ravel()
        self.channels = _whole("channels", self.channels, np.uint32)
        self.offsets = _whole("offsets", self.offsets, np.uint64)
        ends = self.offsets.astype(np.int64)
        if len(self.channels) != len(self.times):
            raise SpikeletError(
                f"channels has {len(self.channels)} elements, and times {len(self.times)}; give one of each for every spike"
            )
        if not np.isfinite(self.times).all():
            raise SpikeletError("times has a value that is not finite; spike times are finite numbers of ms")
        if len(ends) < 1 or ends[0] != 0 or ends[-1] != len(self.times) or (np.diff(ends) < 0).any():
            raise SpikeletError(f"offsets must increase from 0 to {len(self.times)}, the number of spikes")
        if self.labels is not None:
            self.labels = _whole("labels", self.labels, np.uint32)
        if self.targets is not None:
            self.targets = np.ascontiguousarray(self.targets, np.float32)
        for name in ("labels", "targets"):
            given = getattr(self, name)
            if given is not None and len(given) != len(self):
                raise SpikeletError(f"{name} has {len(given)} elements, and there are {len(self)} samples; give one for each")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of(
        cls, spikes: Iterable[tuple[ArrayLike, ArrayLike]], labels: ArrayLike | None = None, targets: ArrayLike | None = None
    ) -> Samples:
        """Of times and channels, sample by sample."""
        pairs = [(np.asarray(times, np.float64).ravel(), np.asarray(channels).ravel()) for times, channels in spikes]
        empty = [np.empty(0)]
        return cls(
            np.concatenate([times for times, _ in pairs] or empty),
            np.concatenate([channels for _, channels in pairs] or empty),
            np.cumsum([0, *(len(times) for times, _ in pairs)]),
            labels,
            targets,
        )

    @classmethod
    def of_events(cls, dataset: Iterable[tuple[NDArray[Any], int]], sensor_size: tuple[int, int, int] | None = None) -> Samples:
        """Of pairs of events and a class, as the data sets of tonic have them: arrays with the fields ``t`` in µs, ``x``, and perhaps ``y``
        and ``p``. Channels are numbered by p, then y, then x, in a sensor of this width, height and number of polarities; by default that
        of the data set.
        """
        size = sensor_size or getattr(dataset, "sensor_size", None)
        spikes, labels = [], []
        for events, label in dataset:
            names = events.dtype.names or ()
            if not {"t", "x"} <= set(names):
                raise SpikeletError(f"the events have the fields {', '.join(names) or 'none'}; expected are t (in µs) and x")
            channels = events["x"].astype(np.int64)
            if len(names) > 2 and size is None:
                raise SpikeletError("the events have y or p; give sensor_size=(width, height, polarities)")
            if size is not None:
                width, height, _ = size
                y = events["y"].astype(np.int64) if "y" in names else 0
                p = events["p"].astype(np.int64) if "p" in names and size[2] > 1 else 0
                channels = channels + width * (y + height * p)
            spikes.append((events["t"] / 1000.0, channels))
            labels.append(label)
        return cls.of(spikes, labels=labels)

    def _arrays(self) -> tuple[NDArray[Any] | None, ...]:
        targets = None if self.targets is None else self.targets.ravel()
        return self.times, self.channels, self.offsets, self.labels, targets


@dataclass
class Epoch:
    """What came of an epoch. Accuracies are from 0 to 1; None without classes, and while training with a loss of one's own. What there are no
    samples for is None, too."""

    epoch: int
    loss: float
    accuracy: float | None
    loss_validation: float | None
    accuracy_validation: float | None
    loss_test: float | None
    accuracy_test: float | None
    #: Spikes per neuron and second of each population that fires, in some samples of the last batch.
    rates_hz: dict[str, float]
    seconds: float
    #: What does not learn, and what may help.
    notices: list[str] = field(default_factory=list)


@dataclass
class Evaluation:
    """The answers to samples."""

    #: The class that is answered, -1 if no neuron has fired; empty if the loss compares no classes.
    classes: NDArray[np.int64]
    #: What the first term of the loss reads: ``[sample, unit]``, or ``[sample, step, unit]``.
    readings: NDArray[np.float32]
    loss: float
    accuracy: float | None
    #: Spikes per neuron and second of each population.
    rates_hz: dict[str, float]


class Training:
    """A training of a network by gradients, in the format of ``docs/training.md``.

    Args:
        training: the name of one (``spikelet list trainings``), a path, JSON, or a dict.
        train, test: samples in place of those of its ``data``, whose ``validation`` still says how many of ``train`` choose the best epoch.
        network: a network in place of its own, as of :class:`Simulation`.
        files: contents of files that it names.
        method, epochs, batch, rate, seed: in place of its own; ``rate`` is that of learning.
        loss: a function in place of the loss. It is given what the terms of the training's loss read of a batch, and the targets of the
            samples; it returns the loss and its derivatives by each of these arrays.
        backend, adapter, threads: as of :class:`Simulation`; ``"auto"`` is the CPU.

    >>> training = Training("xor", epochs=4)
    >>> for epoch in training:
    ...     pass
    >>> epoch.epoch, epoch.accuracy_test > 0.9
    (4, True)
    >>> len(training.network()["projections"])
    2
    """

    def __init__(
        self,
        training: NetworkLike,
        train: Samples | None = None,
        test: Samples | None = None,
        *,
        network: NetworkLike | None = None,
        files: Mapping[str, FileLike] | None = None,
        method: str | None = None,
        epochs: int | None = None,
        batch: int | None = None,
        rate: float | None = None,
        seed: int | None = None,
        loss: Loss | None = None,
        backend: str = "auto",
        adapter: int | str | None = None,
        threads: int | None = None,
    ) -> None:
        found = _source(training, files)
        if network is not None:
            own = (
                json.loads(found.text) if found.text.lstrip().startswith("{") else json.loads(_spikelet.training_text(found.text))
            )
            found.text = json.dumps(own | {"network": json.loads(source(network).text)})
        if test is not None and train is None:
            raise SpikeletError("test has samples, and train has none; give both, or neither")
        for name, given in (("train", train), ("test", test)):
            if given is not None and not isinstance(given, Samples):
                raise TypeError(f"{name} is of type {type(given).__name__}; make spikelet.Samples of it")
        changes = {
            "method": method,
            "epochs": None if epochs is None else whole_number(epochs, "epochs"),
            "batch": None if batch is None else whole_number(batch, "batch"),
            "rate": None if rate is None else float(rate),
            "seed": None if seed is None else int(seed),
        }
        device = device_request(backend, adapter, threads, "f32", False)
        arrays = [None if of is None else of._arrays() for of in (train, test)]
        with quiet_drivers():
            self._gradients = _spikelet.Gradients(found.text, found.files, found.folder, *arrays, changes, device)
        self._loss = loss
        self._again = (found, changes, device, arrays)

    def __repr__(self) -> str:
        of = self.description()
        return f"<spikelet.Training {of['name']!r} by {of['method']}: epoch {of['epoch']} of {of['epochs']}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """It is copied and sent to processes with its state."""
        if self._loss is not None:
            raise TypeError("a training with a loss of its own is not pickled; pickle its checkpoint")
        return _restored, (*self._again, self.checkpoint())

    def __iter__(self) -> Iterator[Epoch]:
        """Trains, epoch by epoch, up to the number of epochs. Leaving the loop ends it, and a later one continues."""
        of = self.description()
        for _ in range(of["epoch"], of["epochs"]):
            yield self.epoch()

    def run(
        self, *, callbacks: Iterable[Callable[[Epoch], object]] = (), progress: bool | Callable[[float, float], None] = False
    ) -> list[Epoch]:
        """Trains up to the number of epochs; after each, calls ``callbacks`` with it. An exception of one ends the training, after the epoch.

        Raises:
            SpikeletError: a loss or gradient that is not finite, or the device failed.
            KeyboardInterrupt: after Ctrl-C; ``run`` continues with the next batch.
        """
        of, results, functions = self.description(), [], list(callbacks)
        with watching(progress, of["epoch"], of["epochs"], "epochs") as show:
            for epoch in self:
                results.append(epoch)
                if show is not None:
                    show(epoch.epoch)
                for callback in functions:
                    callback(epoch)
        return results

    def epoch(self) -> Epoch:
        """Trains to the end of the current epoch, also beyond their number."""
        text = self._gradients.epoch(None) if self._loss is None else self._own_epoch(self._loss)
        if text is None:
            raise KeyboardInterrupt
        result = Epoch(**json.loads(text))
        for notice in result.notices:
            warnings.warn(notice, SpikeletWarning, stacklevel=3)
        return result

    def _own_epoch(self, loss: Loss) -> str:
        started = time.perf_counter()
        while True:
            read, classes, values = self._gradients.forward()
            readings = [numbers.reshape(shape) for numbers, shape in read]
            targets = np.array(values, np.float32) if values and values[0] else np.array(classes, np.int64)
            total, adjoints = loss([reading.copy() for reading in readings], targets)
            given = [np.ascontiguousarray(of, np.float32) for of in adjoints]
            if [of.shape for of in given] != [of.shape for of in readings]:
                expected = ", ".join(str(of.shape) for of in readings)
                got = ", ".join(str(of.shape) for of in given)
                raise SpikeletError(
                    f"the loss returned derivatives of the shapes {got or 'none'}; it was given readings of the shapes {expected}"
                )
            if not np.isfinite(float(total)):
                raise SpikeletError(f"the loss is {float(total)}; use a smaller rate, or correct the function")
            result = self._gradients.backward(float(total), None, [of.ravel() for of in given], time.perf_counter() - started)
            if result is not None:
                return result

    def evaluate(self, samples: str = "test") -> dict[str, Any] | None:
        """The number of ``"test"``, ``"validation"`` or ``"train"`` samples, their mean loss and their accuracy; None if there are none."""
        return json.loads(self._gradients.evaluate(samples))

    def predict(self, samples: Samples) -> Evaluation:
        """The answers to samples; without labels or targets only if the loss compares classes, and then without a meaning of ``loss``."""
        if not isinstance(samples, Samples):
            raise TypeError(f"samples is of type {type(samples).__name__}; make spikelet.Samples of it")
        classes, (readings, shape), text = self._gradients.answers(samples._arrays())
        score = json.loads(text)
        return Evaluation(
            np.array(classes, np.int64), readings.reshape(shape), score["loss"], score["accuracy"], score["rates_hz"]
        )

    def network(self, *, best: bool = False) -> dict[str, Any]:
        """The network with the parameters now, or of the best epoch: a plain network, for :class:`Simulation`. Epochs are compared by the
        accuracy, or without classes the loss, of the samples for validation, else of the test samples, else of those to train on.
        """
        return json.loads(self._gradients.network(bool(best)))

    @property
    def parameters(self) -> dict[str, NDArray[np.float32]]:
        """What is trained, by its path: one weight per synapse, in the order of :meth:`Simulation.synapses`, or values of neurons."""
        return dict(self._gradients.parameters())

    def set(self, path: str, values: ArrayLike) -> None:
        """Replaces parameters that are trained, in inner units."""
        self._gradients.set(path, np.ascontiguousarray(values, np.float32).ravel())

    @property
    def history(self) -> list[Epoch]:
        """The epochs so far."""
        return [Epoch(**of) for of in self.description()["history"]]

    def description(self) -> dict[str, Any]:
        """Names, sizes, the device, where it is, and all notices."""
        return json.loads(self._gradients.description())

    def checkpoint(self) -> bytes:
        """The training and where it is; the file ``checkpoint`` of ``spikelet train --out`` has the same."""
        return self._gradients.checkpoint()

    def resume(self, checkpoint: bytes) -> None:
        """Continues from a checkpoint of the same training and data, with the same results, bit by bit.

        Raises:
            SpikeletError: it is of another training or of other samples, or damaged.
        """
        self._gradients.resume(bytes(checkpoint))


def train(training: NetworkLike, train: Samples | None = None, test: Samples | None = None, **options: Any) -> Training:
    """Makes a :class:`Training` and runs it; ``callbacks`` and ``progress`` are those of :meth:`Training.run`.

    >>> train("xor", epochs=1).history[0].epoch
    1
    """
    of_run = {name: options.pop(name) for name in ("callbacks", "progress") if name in options}
    made = Training(training, train, test, **options)
    made.run(**of_run)
    return made


def _restored(
    found: Source, changes: Mapping[str, Any], device: Mapping[str, Any], arrays: list[Any], checkpoint: bytes
) -> Training:
    made = Training.__new__(Training)
    with quiet_drivers():
        made._gradients = _spikelet.Gradients(found.text, found.files, found.folder, *arrays, changes, device)
    made._loss, made._again = None, (found, changes, device, arrays)
    made.resume(checkpoint)
    return made


def _source(training: NetworkLike, files: Mapping[str, FileLike] | None) -> Source:
    """A training as text; the name of one stays."""
    if isinstance(training, str) and training in _spikelet.training_names():
        return Source(training)
    return source(training, files)


def _whole(name: str, values: ArrayLike, kind: type) -> NDArray[Any]:
    """Whole numbers from 0, of any type that can hold them."""
    array = np.asarray(values).ravel()
    if array.dtype.kind not in "uif" or (
        array.size and ((array < 0).any() or (array != np.floor(array)).any() or array.max() >= 2**32)
    ):
        raise SpikeletError(f"{name} has values that do not count something; whole numbers from 0 are expected")
    return np.ascontiguousarray(array, kind)
