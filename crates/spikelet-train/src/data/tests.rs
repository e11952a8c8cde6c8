use super::*;

fn data(text: &str) -> Data {
    serde_json::from_str(text).unwrap()
}

/// As printed by NumPy 2.4 for seeds 1 of `randn`, `randint(10)`, `shuffle`, `rand` in this order.
#[test]
fn random_numbers_are_those_of_numpy() {
    let mut random = RandomState::new(1);
    let normal: Vec<f64> = (0..5).map(|_| random.randn()).collect();
    assert_eq!(normal, [1.6243453636632417, -0.6117564136500754, -0.5281717522634557, -1.0729686221561705, 0.8654076293246785]);
    let whole: Vec<u32> = (0..6).map(|_| random.randint(10)).collect();
    assert_eq!(whole, [5, 2, 4, 2, 4, 7]);
    let mut order: Vec<u32> = (0..8).collect();
    random.shuffle(&mut order);
    assert_eq!(order, [4, 3, 5, 2, 0, 6, 1, 7]);
    assert_eq!(random.rand(), 0.9682615757193975);
    assert_eq!(random.randint(u32::MAX), 1_346_146_623);
    assert_eq!([random.randint(0), random.randint(1)], [0, 0]);
}

/// As drawn by the published generator with NumPy 2.4, seeds 42 and 40.
#[test]
fn yin_yang_is_as_published() {
    let dataset = data(r#"{"generate": "yin_yang", "late_ms": 1, "bias": false, "test": 5000}"#).generate().unwrap();
    let point = |sample: &Sample| {
        let time = |channel| sample.events.iter().find(|event| event.channel == channel).unwrap().time_ms;
        let Target::Class(class) = sample.target else { panic!("a class") };
        assert_eq!([1.0 - time(0), 1.0 - time(1)], [time(2), time(3)]);
        (time(0), time(1), class)
    };
    assert_eq!(point(&dataset.train[0]), (0.6803075385877797, 0.450499251969543, 2));
    assert_eq!(point(&dataset.train[1]), (0.09767211400638387, 0.6842330265121569, 1));
    assert_eq!(point(&dataset.train[4999]), (0.7690797231107925, 0.5883389337522971, 2));
    assert_eq!(point(&dataset.test[0]), (0.23409664559563403, 0.4017249751828972, 2));
    assert_eq!(point(&dataset.test[4999]), (0.16531754396748766, 0.4697754612889592, 2));
    let count = |class| dataset.train.iter().filter(|sample| sample.target == Target::Class(class)).count();
    assert_eq!([count(0), count(1), count(2)], [1681, 1702, 1617]);
    let with_bias = data(r#"{"generate": "yin_yang", "test": 0, "train": 1}"#).generate().unwrap();
    assert_eq!((with_bias.channels, with_bias.duration_ms, with_bias.test.len()), (5, 60.0, 0));
    assert_eq!(with_bias.train[0].events[0], Event { time_ms: 0.0, channel: 4 });
    assert!(with_bias.train[0].events.is_sorted_by_key(|event| event.time_ms));
}

#[test]
fn batches_have_every_sample_once_in_an_order_of_seed_and_epoch() {
    let order = batches(7, 3, 100, 32);
    assert_eq!(order.iter().map(Vec::len).collect::<Vec<_>>(), [32, 32, 32, 4]);
    let mut all = order.concat();
    assert_eq!(order, batches(7, 3, 100, 32));
    assert_ne!(all, batches(7, 4, 100, 32).concat());
    assert_ne!(all, batches(8, 3, 100, 32).concat());
    all.sort_unstable();
    assert_eq!(all, (0..100).collect::<Vec<_>>());
    // Each place has each sample equally often: 2000 epochs of 4 samples, 500 ± 5 standard deviations.
    let mut counts = [[0_u32; 4]; 4];
    for epoch in 0..2000 {
        for (place, sample) in batches(1, epoch, 4, 4)[0].iter().enumerate() {
            counts[place][*sample] += 1;
        }
    }
    assert!(counts.as_flattened().iter().all(|count| count.abs_diff(500) < 97), "{counts:?}");
    assert!(batches(1, 0, 0, 4).is_empty());
}

#[test]
fn options_that_do_not_fit_are_named() {
    let error = |text: &str| data(text).generate().unwrap_err().to_string();
    assert!(error("{}").starts_with("data lacks the key `generate`"));
    assert!(error(r#"{"generate": "yin_yang", "late_ms": -2}"#).starts_with("data.late_ms is -2, but a number from"));
    assert!(
        error(r#"{"generate": "yin_yang", "train": 4000000000}"#)
            .starts_with("data.train is 4000000000, but a number from 0 to 10000000")
    );
}

/// The first samples of the same definitions in NumPy 2.4.
#[test]
fn random_tasks_are_those_of_numpy() {
    let near = |found: &[f64], expected: &[f64]| {
        assert_eq!(found.len(), expected.len());
        found.iter().zip(expected).for_each(|(found, expected)| assert!((found - expected).abs() < 1e-9, "{found} {expected}"));
    };
    let count = |sample: &Sample, channels: std::ops::Range<u32>| {
        sample.events.iter().filter(|event| channels.contains(&event.channel)).count()
    };

    let spikes = data(r#"{"generate": "random_spikes", "seed": 3, "train": 2, "test": 0}"#).generate().unwrap();
    assert_eq!([spikes.train[0].events.len(), spikes.train[1].events.len()], [94, 111]);
    let first: Vec<(f64, u32)> = spikes.train[1].events[..4].iter().map(|event| (event.time_ms, event.channel)).collect();
    assert_eq!(first, [(1.0, 15), (4.0, 6), (8.0, 5), (10.0, 32)]);
    assert_eq!((spikes.channels, spikes.classes, spikes.duration_ms), (100, 2, 200.0));

    let randman = data(r#"{"generate": "randman", "seed": 5, "classes": 2, "channels": 3, "train": 6, "test": 2}"#);
    let randman = randman.generate().unwrap();
    let by_channel = |sample: &Sample| -> Vec<f64> {
        (0..3).map(|channel| sample.events.iter().find(|event| event.channel == channel).unwrap().time_ms).collect()
    };
    near(&by_channel(&randman.train[1]), &[0.0, 99.99968368376922, 7.057989381386311]);
    near(&by_channel(&randman.train[2]), &[51.07141456522619, 0.0, 99.9993915632799]);
    assert_eq!(randman.train[0].target, Target::Class(0));
    assert_eq!((randman.train.len(), randman.test.len()), (6, 2));

    let text = r#"{"generate": "pattern_generation", "seed": 2, "channels": 3, "duration_ms": 100}"#;
    let pattern = data(text).generate().unwrap();
    assert_eq!(pattern.train[0].events.len(), 17);
    let Target::Values(values) = &pattern.train[0].target else { panic!("values") };
    let some: Vec<f64> = [0, 1, 50, 99].map(|step| f64::from(values[step])).into();
    let expected = [0.0, 0.002156993848859427, -0.8492648720316021, -0.030133694542262786];
    some.iter().zip(expected).for_each(|(found, expected)| assert!((found - expected).abs() < 1e-7));
    assert_eq!(pattern.test, pattern.train);

    let evidence = data(r#"{"generate": "evidence_accumulation", "seed": 4, "train": 1, "test": 1}"#).generate().unwrap();
    let groups = |sample: &Sample| [count(sample, 0..20), count(sample, 20..30), count(sample, 30..40)];
    assert_eq!(groups(&evidence.train[0]), [282, 66, 215]);
    assert_eq!(groups(&evidence.test[0]), [273, 72, 221]);
    assert!(evidence.train[0].events.iter().all(|event| event.channel != 25 || event.time_ms >= 2100.0));
    assert_eq!((evidence.channels, evidence.duration_ms, evidence.train[0].target.clone()), (40, 2250.0, Target::Class(0)));
}

#[test]
fn classes_follow_from_the_input() {
    let xor = data(r#"{"generate": "temporal_xor", "train": 40, "test": 8}"#).generate().unwrap();
    for sample in xor.train.iter().chain(&xor.test) {
        let late = sample.events.iter().filter(|event| event.time_ms == 6.0).count() as u32;
        assert_eq!((sample.events.len(), &sample.target), (3, &Target::Class(late % 2)));
    }
    assert_eq!(xor.duration_ms, 30.0);
    let jitter = data(r#"{"generate": "temporal_xor", "jitter_ms": 1, "train": 40}"#).generate().unwrap();
    assert!(jitter.train.iter().any(|sample| sample.events[2].time_ms > 6.0));

    let text = r#"{"generate": "delayed_match", "stimuli": 3, "background_hz": 0, "rate_hz": 500, "train": 60, "test": 0}"#;
    let matching = data(text).generate().unwrap();
    let mut counts = [0; 2];
    for sample in &matching.train {
        let stimuli = |start_ms: f64| -> Vec<u32> {
            let during = |event: &&Event| (start_ms..start_ms + 100.0).contains(&event.time_ms);
            let mut stimuli: Vec<u32> = sample.events.iter().filter(during).map(|event| event.channel / 10).collect();
            stimuli.sort_unstable();
            stimuli.dedup();
            stimuli
        };
        let (first, second) = (stimuli(0.0), stimuli(300.0));
        assert_eq!((first.len(), second.len(), stimuli(100.0).len()), (1, 1, 0));
        let class = u32::from(first == second);
        assert_eq!(sample.target, Target::Class(class));
        counts[class as usize] += 1;
    }
    assert!(counts.iter().all(|count| *count > 15), "{counts:?}");
    assert_eq!((matching.channels, matching.duration_ms), (30, 500.0));
}

#[test]
fn generators_reject_what_does_not_fit() {
    let error = |text: &str| data(text).generate().unwrap_err().to_string();
    let expected = "data.late_ms is 3.0, but the generator \"random_spikes\" has the options `train`, `validation`, `test`, `seed`, `duration_ms`, \
                    `dt_ms`, `channels`, `classes`, `rate_hz`; remove it";
    assert_eq!(error(r#"{"generate": "random_spikes", "late_ms": 3}"#), expected);
    assert!(error(r#"{"generate": "randman", "alpha": 0}"#).starts_with("data.alpha is 0, but a number from 0.1 to 100"));
    assert!(
        error(r#"{"generate": "randman", "channels": 100000, "train": 1000000}"#)
            .starts_with("data is of 2.004e11 random numbers, but")
    );
    assert!(error(r#"{"generate": "evidence_accumulation", "dt_ms": 1e-6, "channels": 1000}"#).starts_with("data is of"));
    assert!(error(r#"{"generate": "pattern_generation", "test": 2}"#).starts_with("data.test is 2, but the test samples"));
    assert!(error(r#"{"generate": "delayed_match", "duration_ms": 10}"#).starts_with("data.duration_ms is 10, but"));
    assert!(error(r#"{"file": "a.npz"}"#).starts_with("data lacks the key `generate`"));
}
