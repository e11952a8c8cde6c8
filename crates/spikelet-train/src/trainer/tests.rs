use pollster::block_on;

use super::*;
use crate::{Event, bptt};

/// Three inputs, two hidden neurons, two readouts.
const SMALL: &str = r#"{
  "name": "small",
  "network": {
    "name": "small", "dt_ms": 1, "duration_ms": 20,
    "sources": [{"name": "input", "size": 3, "spike_times_ms": []}],
    "populations": [
      {"name": "hidden", "size": 4, "equations": "dv/dt = (I - v)/tau : 1\ndI/dt = -I/tau_s : 1",
       "threshold": "v > 1", "reset": "v = 0", "parameters": {"tau": "20 ms", "tau_s": "5 ms"}},
      {"name": "output", "size": 2, "equations": "dv/dt = (I - v)/tau : 1\ndI/dt = -I/tau_s : 1",
       "parameters": {"tau": "20 ms", "tau_s": "5 ms"}}
    ],
    "projections": [
      {"pre": "input", "post": "hidden", "connect": {"rule": "all"}, "on_pre": "I_post += w", "equations": "w : 1",
       "initial": {"w": "normal(6, 2)"}},
      {"pre": "hidden", "post": "output", "connect": {"rule": "all"}, "on_pre": "I_post += w", "equations": "w : 1",
       "initial": {"w": "normal(0, 0.5)"}}
    ]
  },
  "input": "input",
  "method": "bptt",
  "train": [{"path": "input_hidden"}, {"path": "hidden_output"}],
  "loss": [{"type": "cross_entropy", "population": "output", "reading": "mean", "variable": "v"}],
  "optimiser": {"type": "adam", "rate": 0.02},
  "batch": 4, "epochs": 6
}"#;

/// Class 0 is an early spike of channel 0, class 1 one of channel 1.
fn data(count: usize) -> Dataset {
    let sample = |index: usize| Sample {
        events: [Event { time_ms: 1.0, channel: (index % 2) as u32 }, Event { time_ms: 3.0, channel: 2 }].into(),
        target: Target::Class((index % 2) as u32),
    };
    let samples: Vec<Sample> = (0..count).map(sample).collect();
    Dataset { channels: 3, classes: 2, duration_ms: 20.0, test: samples[..4].to_vec(), train: samples, ..Dataset::default() }
}

fn trainer(change: (&str, &str), data: Dataset) -> Result<Trainer, Error> {
    assert!(SMALL.contains(change.0), "{change:?}");
    let training = Training::from_json(&SMALL.replacen(change.0, change.1, 1))?;
    block_on(Trainer::new(training, data, Box::new(bptt::Cpu::new(1))))
}

/// Trains an epoch.
fn epoch(trainer: &mut Trainer) -> EpochResult {
    block_on(async {
        while !trainer.is_epoch_done() {
            trainer.train_batch().await.unwrap();
        }
        trainer.end_epoch(0.0).await.unwrap()
    })
}

/// Its notices after an epoch.
fn notices(change: (&str, &str), epochs: usize) -> Vec<String> {
    let mut trainer = trainer(change, data(8)).unwrap();
    (0..epochs).for_each(|_| drop(epoch(&mut trainer)));
    trainer.notices().iter().map(ToString::to_string).collect()
}

#[test]
fn what_learns_has_no_notice() {
    assert_eq!(notices(("small", "small"), 6), Vec::<String>::new());
}

#[test]
fn what_does_not_learn_says_so() {
    // Too little for a spike, and a surrogate that ends before it.
    let silent = notices(("normal(6, 2)", "0.001*normal(6, 2)"), 1);
    assert!(silent[0].starts_with("`hidden` has not fired at all in epoch 1; make its initial weights"), "{silent:?}");
    assert!(silent[1].starts_with("no weight of `hidden_output` had a gradient in epoch 1; "), "{silent:?}");
    let busy = notices(("(I - v)/tau : 1", "(1e6 + I - v)/tau : 1"), 1);
    assert!(busy[0].starts_with("`hidden` fires in each step in epoch 1; "), "{busy:?}");
    // Outputs below the initial value, which is the largest one then.
    let tied = notices(("\"initial\": {\"w\": \"normal(0, 0.5)\"}", "\"initial\": {\"w\": \"-1 - rand()\"}"), 1);
    assert_eq!(tied, Vec::<String>::new());
    let still = notices(("\"rate\": 0.02", "\"rate\": 1e-30"), 6);
    assert!(still.iter().any(|of| of.contains("has not moved from ")), "{still:?}");
    assert_eq!(still.len(), 1, "once");
}

#[test]
fn outputs_that_stay_below_their_initial_value_have_no_gradient_of_the_largest() {
    let change = ("\"initial\": {\"w\": \"normal(0, 0.5)\"}", "\"initial\": {\"w\": \"-1 - rand()\"}");
    let text = SMALL.replacen(change.0, change.1, 1).replace("\"mean\"", "\"max\"");
    let device = Box::new(bptt::Cpu::new(1));
    let mut trainer = block_on(Trainer::new(Training::from_json(&text).unwrap(), data(8), device)).unwrap();
    epoch(&mut trainer);
    let said: Vec<String> = trainer.notices().iter().map(ToString::to_string).collect();
    assert!(said.len() == 2 && said.iter().all(|of| of.contains("such as \"mean\" where \"max\" stays")), "{said:?}");
}

#[test]
fn the_best_epoch_is_kept() {
    let mut trainer = trainer(("small", "small"), data(8)).unwrap();
    let results: Vec<EpochResult> = (0..6).map(|_| epoch(&mut trainer)).collect();
    let best = trainer.state().best.clone().unwrap();
    let most = results.iter().map(|of| of.judged().accuracy().unwrap()).fold(0.0, f64::max);
    assert_eq!(results[best.epoch as usize - 1].judged().accuracy(), Some(most));
    assert!(results[..best.epoch as usize - 1].iter().all(|of| of.judged().accuracy().unwrap() < most));
    let again = trainer.plan().network_with(&best.values).unwrap();
    assert_eq!(trainer.best_network().unwrap(), again);
}

#[test]
fn samples_for_validation_are_not_trained_on_and_choose_the_epoch() {
    let mut data = data(8);
    assert!(data.split_validation(9).unwrap_err().to_string().starts_with("data.validation is 9, but there are 8 samples"));
    data.split_validation(2).unwrap();
    let mut trainer = trainer(("small", "small"), data).unwrap();
    let result = epoch(&mut trainer);
    assert_eq!((result.train.samples, result.validation.unwrap().samples, result.test.unwrap().samples), (6, 2, 4));
    assert_eq!(result.judged(), &result.validation.unwrap());
}

#[test]
fn a_checkpoint_continues_with_its_data_alone() {
    let mut first = trainer(("small", "small"), data(8)).unwrap();
    epoch(&mut first);
    let checkpoint = first.checkpoint();
    let mut again = trainer(("small", "small"), data(8)).unwrap();
    block_on(again.resume(checkpoint.clone())).unwrap();
    assert_eq!((epoch(&mut again), again.state().values.clone()), (epoch(&mut first), first.state().values.clone()));
    // After the last batch of an epoch, too, when the device has simulated nothing yet.
    let mut whole = trainer(("small", "small"), data(8)).unwrap();
    (0..2).for_each(|_| block_on(whole.train_batch()).unwrap());
    block_on(again.resume(whole.checkpoint())).unwrap();
    assert_eq!(epoch(&mut again).test, epoch(&mut whole).test);
    // Samples that are looked at between batches change nothing.
    block_on(whole.train_batch()).unwrap();
    block_on(whole.answers(&data(8).train[..1])).unwrap();
    assert_eq!(epoch(&mut whole).rates.len(), 1);
    let mut changed = data(8);
    changed.train[3].events = [Event { time_ms: 2.0, channel: 1 }].into();
    let mut other = trainer(("small", "small"), changed).unwrap();
    let error = block_on(other.resume(checkpoint)).unwrap_err().to_string();
    assert!(error.starts_with("the checkpoint is of other data, but the samples of this training are others"), "{error}");
}

#[test]
fn samples_that_go_on_after_a_run_are_errors() {
    let refused = |change, data| trainer(change, data).err().unwrap().to_string();
    let mut late = data(8);
    late.train[3].events = [Event { time_ms: 20.0, channel: 1 }].into();
    let said = refused(("small", "small"), late);
    assert!(
        said.starts_with("data is with spikes up to 20 ms (1 of 12 samples end late), but `network.duration_ms` is 20"),
        "{said}"
    );
    assert!(
        said.contains("set the network's `duration_ms` to 21 or more, or cut the samples with \"duration_ms\": 20"),
        "{said}"
    );
    // Targets of another kind are found before anything is simulated.
    let mut values = data(8);
    values.train[7].target = Target::Values(vec![1.0; 3]);
    assert!(refused(("small", "small"), values).contains("whose target is 3 values, but loss[0] compares with classes"));
}

#[test]
fn answers_have_classes_readings_and_spikes() {
    let mut trainer = trainer(("small", "small"), data(8)).unwrap();
    (0..6).for_each(|_| drop(epoch(&mut trainer)));
    let samples = trainer.data().train.clone();
    let answers = block_on(trainer.answers(&samples)).unwrap();
    assert_eq!((answers.classes.len(), answers.readings.len()), (8, 16));
    let right = answers.classes.iter().zip(&samples).filter(|(answer, of)| answer.map(Target::Class) == Some(of.target.clone()));
    assert_eq!(answers.score.correct, Some(right.count() as u32));
    // Two input spikes of each sample.
    let input = &trainer.plan().plan.populations[trainer.plan().input];
    assert_eq!(answers.spikes[input.first as usize..].iter().sum::<u64>(), 16);
}
