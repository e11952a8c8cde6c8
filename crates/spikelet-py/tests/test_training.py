"""Trainings by gradients: from arrays, epoch by epoch, with a loss of one's own."""

import pickle

import numpy as np
import pytest

import spikelet
from spikelet import Samples, SpikeletError, SpikeletWarning, Training

LIF = "dv/dt = (I - v)/tau_m : 1\ndI/dt = -I/tau_s : 1"
PARAMETERS = {"tau_m": "20 ms", "tau_s": "5 ms"}


def weights(pre, post, initial):
    return {
        "pre": pre,
        "post": post,
        "connect": {"rule": "all"},
        "on_pre": "I_post += w",
        "equations": "w : 1",
        "initial": {"w": initial},
    }


#: Which of two channels fires first.
EARLY = {
    "name": "early",
    "network": {
        "name": "early",
        "dt_ms": 1,
        "duration_ms": 30,
        "sources": [{"name": "input", "size": 2, "spike_times_ms": []}],
        "populations": [
            {"name": "hidden", "size": 20, "equations": LIF, "threshold": "v > 1", "reset": "v = 0", "parameters": PARAMETERS},
            {"name": "output", "size": 2, "equations": LIF, "parameters": PARAMETERS},
        ],
        "projections": [weights("input", "hidden", "normal(4, 2)"), weights("hidden", "output", "normal(0, 0.5)")],
    },
    "input": "input",
    "method": "bptt",
    "surrogate": {"shape": "superspike", "slope": 10},
    "train": [{"path": "input_hidden"}, {"path": "hidden_output"}],
    "loss": [{"type": "cross_entropy", "population": "output", "reading": "mean", "variable": "v"}],
    "optimiser": {"type": "adam", "rate": 0.02},
    "batch": 20,
    "epochs": 5,
}


def samples(count, seed=1):
    """The class is the channel with the early spike."""
    random = np.random.RandomState(seed)
    labels = random.randint(2, size=count)
    times = random.uniform(0, 4, (count, 2)) + 8 * np.stack([labels, 1 - labels], axis=1)
    return Samples.of([(row, [0, 1]) for row in times], labels=labels)


def test_samples_are_learned_and_predicted():
    training = Training(EARLY, samples(200), samples(100, seed=2), epochs=30, threads=1)
    results = training.run()
    assert [of.epoch for of in results] == list(range(1, 31)) and results[-1].accuracy_test == 1.0
    assert results[-1].loss < results[0].loss and results[-1].rates_hz["hidden"] > 0
    assert training.history == results
    found = training.predict(samples(50, seed=3))
    assert (found.classes == samples(50, seed=3).labels).all() and found.accuracy == 1.0
    assert found.readings.shape == (50, 2) and (found.readings.argmax(axis=1) == found.classes).all()
    # Classes are answered to samples without labels, too.
    given = samples(50, seed=3)
    assert (training.predict(Samples(given.times, given.channels, given.offsets)).classes == found.classes).all()
    assert training.evaluate() == {"samples": 100, "loss": results[-1].loss_test, "accuracy": 1.0}
    assert training.evaluate("validation") is None


def test_the_network_is_a_plain_one():
    training = Training(EARLY, samples(100), threads=1)
    training.run()
    network = training.network()
    network["sources"][0]["spike_times_ms"] = [[0, 1.0], [1, 12.0]]
    simulation = spikelet.Simulation(network, backend="cpu")
    simulation.run()
    assert len(simulation.spikes("hidden")) > 0
    assert training.network(best=True)["populations"] == network["populations"]
    parameters = training.parameters
    assert parameters["input_hidden"].shape == (40,) and parameters["hidden_output"].shape == (40,)
    training.set("hidden_output", np.zeros(40))
    assert (training.parameters["hidden_output"] == 0).all()


def test_a_loss_of_ones_own_gives_the_same_bits():
    def cross_entropy(readings, labels):
        (scores,) = (reading.astype(np.float64) for reading in readings)
        parts = np.exp(scores - scores.max(axis=1, keepdims=True))
        parts /= parts.sum(axis=1, keepdims=True)
        rows = np.arange(len(labels))
        loss = -np.log(parts[rows, labels]).mean()
        parts[rows, labels] -= 1
        return loss, [parts / len(labels)]

    own = Training(EARLY, samples(60), epochs=2, threads=1, loss=cross_entropy)
    same = Training(EARLY, samples(60), epochs=2, threads=1)
    assert [of.loss for of in own.run()] == pytest.approx([of.loss for of in same.run()])
    for path, values in own.parameters.items():
        assert values == pytest.approx(same.parameters[path], rel=1e-4)
    with pytest.raises(SpikeletError, match=r"derivatives of the shapes \(2,\); it was given readings of the shapes \(20, 2\)"):
        Training(EARLY, samples(60), loss=lambda readings, labels: (0.0, [np.zeros(2)])).run()


def test_it_continues_from_checkpoints_and_pickles():
    whole = Training(EARLY, samples(60), epochs=3, threads=1)
    whole.run()
    first = Training(EARLY, samples(60), epochs=1, threads=1)
    first.run()
    second = Training(EARLY, samples(60), epochs=3, threads=1)
    second.resume(first.checkpoint())
    copied = pickle.loads(pickle.dumps(second))
    for training in (second, copied):
        assert [of.epoch for of in training] == [2, 3]
        assert all((training.parameters[path] == values).all() for path, values in whole.parameters.items())
    with pytest.raises(SpikeletError, match="the checkpoint is of other data"):
        Training(EARLY, samples(60, seed=9), epochs=3).resume(first.checkpoint())


def test_callbacks_end_it_and_it_continues():
    class Enough(Exception):
        pass

    seen = []

    def stop(epoch):
        seen.append(epoch.epoch)
        if epoch.epoch == 2:
            raise Enough

    training = Training(EARLY, samples(40), epochs=4, threads=1)
    with pytest.raises(Enough):
        training.run(callbacks=[stop])
    assert seen == [1, 2] and [of.epoch for of in training.run()] == [3, 4]
    assert "epoch 4 of 4" in repr(training)
    assert spikelet.train("xor", epochs=1, callbacks=[lambda of: seen.append(of.loss)]).history[0].loss == seen[-1]


def test_what_does_not_learn_is_a_warning():
    silent = {
        **EARLY,
        "network": {**EARLY["network"], "projections": [weights("input", "hidden", "1e-6"), weights("hidden", "output", "1")]},
    }
    with pytest.warns(SpikeletWarning, match="`hidden` has not fired at all in epoch 1"):
        Training(silent, samples(20), epochs=1).run()


def test_events_of_a_sensor_are_samples():
    kind = np.dtype([("x", "i2"), ("y", "i2"), ("p", "i1"), ("t", "i8")])
    events = np.array([(3, 2, 1, 1500), (0, 1, 0, 500)], kind)
    made = Samples.of_events([(events, 4)], sensor_size=(10, 5, 2))
    assert made.times.tolist() == [1.5, 0.5] and made.channels.tolist() == [3 + 10 * (2 + 5), 10] and made.labels.tolist() == [4]
    with pytest.raises(SpikeletError, match="give sensor_size"):
        Samples.of_events([(events, 4)])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Samples([1.0], [0, 1], [0, 1]), "channels has 2 elements, and times 1"),
        (lambda: Samples([1.0], [0], [0, 2]), "offsets must increase from 0 to 1"),
        (lambda: Samples([1.0], [-1], [0, 1]), "channels has values that do not count"),
        (lambda: Samples([1.0], [0], [0, 1], labels=[0, 1]), "labels has 2 elements, and there are 1 samples"),
        (lambda: Training(EARLY, test=samples(2)), "test has samples, and train has none"),
        (lambda: Training(EARLY), "data"),
        (lambda: Training("yinyang"), "yinyang"),
        (lambda: Training("xor", method="bpt"), "`bptt`"),
        (lambda: Training(EARLY, samples(5), threads=0), "threads is 0"),
        (lambda: Training(EARLY, Samples.of([([31.0], [0])], labels=[0])), "spikes up to 31 ms"),
        (lambda: Training(EARLY, samples(5)).set("hidden_output", [1.0]), "1 numbers"),
        (lambda: Training(EARLY, samples(5)).set("hidden", [1.0]), "`hidden_output`"),
        (lambda: Training(EARLY, samples(5)).evaluate("all"), "validation"),
        (lambda: Training(EARLY, samples(5)).resume(b"x"), "spktrain"),
    ],
)
def test_errors_say_what_to_do(make, said):
    with pytest.raises(SpikeletError, match=said):
        make()


def test_wrong_types_are_type_errors():
    with pytest.raises(TypeError, match="make spikelet.Samples of it"):
        Training(EARLY, [([1.0], [0])])
