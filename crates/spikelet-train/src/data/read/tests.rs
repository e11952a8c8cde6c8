use std::io::Write;

use spikelet_network::npz::NpzWriter;

use super::*;

fn data(text: &str) -> Data {
    serde_json::from_str(text).unwrap()
}

fn events(sample: &Sample) -> Vec<(f64, u32)> {
    sample.events.iter().map(|event| (event.time_ms, event.channel)).collect()
}

fn error(text: &str, name: &str, bytes: &[u8]) -> String {
    data(text).read(name, bytes).unwrap_err().to_string()
}

const CSV: &str = "sample,label,time_ms,channel\n# two spikes, none, one\n0,1,2.25,3\n0,1,0.5,0\n1,0,,\n7,2,4.0,1\n";

#[test]
fn lines_become_samples() {
    let dataset = data(r#"{"file": "a.csv", "test": 1}"#).read("a.csv", CSV.as_bytes()).unwrap();
    assert_eq!((dataset.channels, dataset.classes, dataset.duration_ms), (4, 3, 5.0));
    assert_eq!((dataset.train.len(), dataset.test.len()), (2, 1));
    assert_eq!(events(&dataset.train[0]), [(0.5, 0), (2.25, 3)]);
    assert_eq!((events(&dataset.train[1]), &dataset.train[1].target), (vec![], &Target::Class(0)));
    assert_eq!((events(&dataset.test[0]), &dataset.test[0].target), (vec![(4.0, 1)], &Target::Class(2)));

    let of = |line: &str| error(r#"{"file": "a.csv"}"#, "a.csv", format!("{CSV}{line}\n").as_bytes());
    assert_eq!(
        of("7,3,1,1"),
        "a.csv: line 7, label is 3, but the lines of one sample have one label, and an earlier one has 2; correct it"
    );
    assert_eq!(of("8,3,1,x"), "a.csv: line 7, channel is \"x\", but a number is expected; correct it");
    assert_eq!(of("8,3,1,-1"), "a.csv: line 7, channel is -1, but a whole number from 0 to 4294967294 is expected; correct it");
    assert!(of("8,3,inf,1").starts_with("a.csv: sample 3 is with a spike at inf"));
    assert!(of("2,3,1,1").contains("samples come one after the other"));
    assert!(error(r#"{"file": "a.csv"}"#, "a.csv", b"x,y").starts_with("a.csv: line 1 is \"x,y\", but the line sample,label"));
}

#[test]
fn spikes_are_cut_and_binned() {
    let text = r#"{"file": "a.csv", "from_ms": 0.5, "bin_ms": 2, "duration_ms": 4, "bin_channels": 2, "channels": 5, "classes": 4, "train": 1}"#;
    let lines = "0,0,0.25,9\n0,0,0.5,0\n0,0,2.25,1\n0,0,2.5,3\n0,0,4.25,2\n0,0,4.5,3\n1,0,,\n";
    let dataset = data(text).read("a.csv", format!("sample,label,time_ms,channel\n{lines}").as_bytes()).unwrap();
    assert_eq!(events(&dataset.train[0]), [(0.0, 0), (2.0, 1)]);
    assert_eq!((dataset.channels, dataset.classes, dataset.duration_ms, dataset.train.len()), (5, 4, 4.0, 1));

    let of = |text: &str| error(text, "a.csv", CSV.as_bytes());
    assert_eq!(
        of(r#"{"file": "a.csv", "channels": 3}"#),
        "data.channels is 3, but a.csv has 4; use that number, or leave it out"
    );
    assert!(of(r#"{"file": "a.csv", "test": 4}"#).starts_with("data.test is 4, but a.csv has 3 samples in total"));
    assert!(of(r#"{"file": "a.csv", "bin_ms": 0}"#).starts_with("data.bin_ms is 0, but"));
    assert!(of(r#"{"file": "a.csv", "bin_channels": 0}"#).starts_with("data.bin_channels is 0, but"));
    assert!(of(r#"{"file": "a.csv", "rate_hz": 3}"#).starts_with("data.rate_hz is 3.0, but a file has the options"));
    assert!(error(r#"{"file": "a.txt"}"#, "a.txt", b"").starts_with("data.file is \"a.txt\", but samples are read from"));
}

/// An archive with these arrays.
fn archive(offsets: &[u32], channels: &[u32], labels: Option<&[u32]>, targets: Option<&[f32]>) -> Vec<u8> {
    let mut archive = NpzWriter::new(Vec::new());
    let times = [1.5, 0.5, 2.0];
    archive.add("times", &[3], times.into_iter()).unwrap();
    archive.add("channels", &[channels.len()], channels.iter().copied()).unwrap();
    archive.add("offsets", &[offsets.len()], offsets.iter().copied()).unwrap();
    if let Some(labels) = labels {
        archive.add("labels", &[labels.len()], labels.iter().copied()).unwrap();
    }
    if let Some(targets) = targets {
        archive.add("targets", &[targets.len()], targets.iter().copied()).unwrap();
    }
    archive.finish().unwrap()
}

#[test]
fn arrays_become_samples_of_both_files() {
    let of = data(r#"{"file": "a.npz", "test_file": "b.npz", "test": 1}"#);
    assert_eq!(of.files(), ["a.npz", "b.npz"]);
    let dataset = of
        .dataset(|name| {
            let labels: &[u32] = if name == "a.npz" { &[1, 0] } else { &[4, 3] };
            Ok(archive(&[0, 2, 3], &[7, 2, 0], Some(labels), None))
        })
        .unwrap();
    assert_eq!((dataset.channels, dataset.classes, dataset.duration_ms), (8, 5, 3.0));
    assert_eq!((dataset.train.len(), dataset.test.len()), (2, 1));
    assert_eq!(events(&dataset.train[0]), [(0.5, 2), (1.5, 7)]);
    assert_eq!(dataset.test[0].target, Target::Class(4));

    let read = |bytes: &[u8]| data(r#"{"file": "a.npz"}"#).read("a.npz", bytes);
    let values = read(&archive(&[0, 0, 3], &[7, 2, 0], None, Some(&[0.5, 1.0, 2.0, 3.0]))).unwrap();
    assert_eq!((values.classes, &values.train[1].target), (0, &Target::Values(vec![2.0, 3.0])));

    let wrong = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert!(wrong(&archive(&[0, 2], &[7, 2, 0], Some(&[1]), None)).starts_with("a.npz: offsets is 2 numbers, but increasing"));
    assert!(wrong(&archive(&[0, 3], &[7, 2], Some(&[1]), None)).starts_with("a.npz: channels is 2 long, but"));
    assert!(wrong(&archive(&[0, 3], &[7, 2, 0], Some(&[1, 2]), None)).starts_with("a.npz: labels is 2 long, but"));
    assert!(wrong(&archive(&[0, 3], &[7, 2, 0], None, None)).starts_with("a.npz: there is no array `labels`"));
    assert!(wrong(b"PK").contains("a.npz"));
}

/// As described by the authors: x, y, then one bit of polarity and 23 bits of µs.
#[test]
fn spikes_of_five_bytes_become_a_sample() {
    let bytes = [[33, 2, 0x80, 0x01, 0xf4], [0, 33, 0x7f, 0xff, 0xff]].concat();
    let of = data(r#"{"file": "Train/5/00002.bin"}"#);
    let dataset = of.read("Train/5/00002.bin", &bytes).unwrap();
    assert_eq!(events(&dataset.train[0]), [(0.5, 34 * 34 + 2 * 34 + 33), (8388.607, 33 * 34)]);
    assert_eq!((dataset.channels, &dataset.train[0].target), (2 * 34 * 34, &Target::Class(5)));

    let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
    for name in ["Test/3/00001.bin", "Test/0/00002.bin", "Test/readme.txt"] {
        let (mut file, content) = archive.new_file(name).start().unwrap();
        let mut content = content.wrap(&mut file);
        content.write_all(&bytes).unwrap();
        let (_, descriptor) = content.finish().unwrap();
        file.finish(descriptor).unwrap();
    }
    let of = data(r#"{"file": "Test.zip", "bin_channels": 4, "bin_ms": 1}"#);
    let dataset = of.read("Test.zip", &archive.finish().unwrap()).unwrap();
    assert_eq!(events(&dataset.train[0]), [(0.0, 81 + 8), (8388.0, 8 * 9)]);
    let classes: Vec<&Target> = dataset.train.iter().map(|sample| &sample.target).collect();
    assert_eq!((dataset.channels, classes), (2 * 81, vec![&Target::Class(0), &Target::Class(3)]));

    let wrong = |name: &str, bytes: &[u8]| error(r#"{"file": "x.bin"}"#, name, bytes);
    assert!(wrong("3/a.bin", &bytes[..7]).starts_with("3/a.bin is 7 bytes long, but a spike has five bytes"));
    assert!(wrong("3/a.bin", &[34, 0, 0, 0, 0]).starts_with("3/a.bin: spike 0 is at 34, 0, but"));
    assert!(wrong("a.bin", &bytes).contains("the folder of a sample is its class"));
}

/// Written by h5py 3 with `vlen_dtype` of float16 and uint16, as the published files.
#[cfg(feature = "shd")]
#[test]
fn lists_of_hdf5_become_samples() {
    let bytes = include_bytes!("../../../tests/files/shd.h5");
    let dataset = data(r#"{"file": "shd_train.h5", "classes": 20}"#).read("shd_train.h5", bytes).unwrap();
    assert_eq!((dataset.channels, dataset.classes, dataset.duration_ms, dataset.train.len()), (700, 20, 1001.0, 3));
    assert_eq!(events(&dataset.train[0]), [(62.5, 12), (250.0, 699), (500.0, 350)]);
    assert_eq!(events(&dataset.train[2]), [(31.25, 5), (375.0, 6), (750.0, 6), (875.0, 650)]);
    let classes: Vec<&Target> = dataset.train.iter().map(|sample| &sample.target).collect();
    assert_eq!(classes, [&Target::Class(3), &Target::Class(19), &Target::Class(0)]);
    let binned = data(r#"{"file": "a.h5", "bin_channels": 7, "bin_ms": 500}"#).read("a.h5", bytes).unwrap();
    assert_eq!(events(&binned.train[2]), [(0.0, 0), (500.0, 0), (500.0, 92)]);
    assert_eq!(binned.channels, 100);
    assert!(error(r#"{"file": "a.h5"}"#, "a.h5", &bytes[..100]).starts_with("a.h5"));
}

#[cfg(not(feature = "shd"))]
#[test]
fn a_build_without_hdf5_says_who_reads_it() {
    let problem = error(r#"{"file": "a.h5"}"#, "a.h5", &[]);
    assert!(problem.contains("use `spikelet train`"), "{problem}");
}

#[test]
fn spike_times_are_targets() {
    let lines = "sample,part,time_ms,channel\n0,input,2,3\n0,target,5.5,1\n0,target,4,0\n1,input,,\n2,target,9,1\n";
    let dataset = data(r#"{"file": "a.csv", "from_ms": 1}"#).read("a.csv", lines.as_bytes()).unwrap();
    let wanted = |index: usize| match &dataset.train[index].target {
        Target::Spikes(events) => events.iter().map(|event| (event.time_ms, event.channel)).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!((wanted(0), wanted(1), wanted(2)), (vec![(3.0, 0), (4.5, 1)], vec![], vec![(8.0, 1)]));
    assert_eq!((events(&dataset.train[0]), dataset.channels, dataset.classes, dataset.duration_ms), (vec![(1.0, 3)], 4, 0, 9.0));
    let said = error(r#"{"file": "a.csv"}"#, "a.csv", b"sample,part,time_ms,channel\n0,output,1,1\n");
    assert_eq!(said, "a.csv: line 2, part is \"output\", but `input` or `target` is expected; correct it");

    let archive = |offsets: &[f64]| {
        let mut file = NpzWriter::new(std::io::Cursor::new(Vec::new()));
        let mut add = |name: &str, values: &[f64]| file.add(name, &[values.len()], values.iter().copied()).unwrap();
        add("times", &[2.0]);
        add("channels", &[3.0]);
        add("offsets", &[0.0, 1.0, 1.0]);
        add("target_times", &[5.5, 4.0, 9.0]);
        add("target_channels", &[1.0, 0.0, 1.0]);
        add("target_offsets", offsets);
        file.finish().unwrap().into_inner()
    };
    let dataset = data(r#"{"file": "a.npz"}"#).read("a.npz", &archive(&[0.0, 2.0, 3.0])).unwrap();
    let of = |time_ms, channel| Event { time_ms, channel };
    assert_eq!(dataset.train[0].target, Target::Spikes(vec![of(4.0, 0), of(5.5, 1)]));
    assert_eq!(dataset.train[1].target, Target::Spikes(vec![of(9.0, 1)]));
    let said = error(r#"{"file": "a.npz"}"#, "a.npz", &archive(&[0.0, 3.0]));
    assert_eq!(said, "a.npz: target_offsets is for 1 samples, but `offsets` has 2 samples; save as many as of `offsets`");
}

#[test]
fn one_file_can_be_trained_on_and_tested_with() {
    let of = data(r#"{"file": "a.csv", "test_file": "a.csv", "test": 2, "validation": 1}"#);
    assert_eq!(of.files(), ["a.csv"]);
    let dataset = of.dataset(|_| Ok(CSV.as_bytes().to_vec())).unwrap();
    assert_eq!((dataset.train.len(), dataset.validation.len(), dataset.test.len()), (2, 1, 2));
    assert_eq!(dataset.test, dataset.train);
}
