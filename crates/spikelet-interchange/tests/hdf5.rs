//! HDF5 files that h5py wrote (tests/files/write.py), and files written here.

use proptest::prelude::*;
use spikelet_interchange::hdf5::{Array, Attribute, File, Group, Values};
use spikelet_network::Error;

/// The same content with superblock 0 and symbol tables, and with superblock 3 and the layouts of HDF5 1.14.
const FILES: [&[u8]; 2] = [include_bytes!("files/layouts.h5"), include_bytes!("files/layouts_v114.h5")];

fn files() -> impl Iterator<Item = File> {
    FILES.iter().map(|bytes| File::open(bytes.to_vec()).unwrap())
}

#[test]
fn numbers_of_every_type_and_layout_are_read() {
    let ramp: Vec<f64> = (0..60).map(f64::from).collect();
    for file in files() {
        let names = file.datasets("/numbers").unwrap();
        assert_eq!(names.len(), 14, "{names:?}");
        for name in names.iter().filter(|name| !["scalar", "empty", "flags"].contains(&&***name)) {
            let dataset = file.dataset(&format!("/numbers/{name}")).unwrap();
            assert_eq!(dataset.shape(), [12, 5], "{name}");
            assert_eq!(dataset.f64().unwrap(), ramp, "{name}");
            let is_float = name.contains("float") || name.contains("f8") || name == "gzip";
            assert_eq!(dataset.i64().is_err(), is_float, "{name}");
        }
        let scalar = file.dataset("/numbers/scalar").unwrap();
        assert_eq!((scalar.shape().len(), scalar.f32().unwrap()), (0, vec![7.25]));
        let empty = file.dataset("/numbers/empty").unwrap();
        assert_eq!((empty.shape(), empty.f64().unwrap().len()), (&[0, 3][..], 0));
        assert_eq!(file.dataset("/numbers/flags").unwrap().i64().unwrap(), [1, 0]);
        assert_eq!(file.dataset("/a.b/c/d/e").unwrap().i64().unwrap(), [-4]);
    }
}

#[test]
fn lists_of_variable_length_are_those_of_recordings_of_events() {
    for file in files() {
        let lists = |name: &str| file.dataset(name).unwrap().lists().unwrap();
        assert_eq!(lists("/spikes/times"), [vec![0.5, 0.25, 1.0], vec![], vec![1.375]]);
        let units = file.dataset("/spikes/units").unwrap();
        assert_eq!(units.lists_of(1..3).unwrap(), [vec![], vec![7.0]]);
        assert_eq!(units.lists_of(2..9).unwrap(), [vec![7.0]]);
        assert_eq!(lists("/spikes/units"), [vec![3.0, 699.0, 65535.0], vec![], vec![7.0]]);
    }
}

#[test]
fn texts_groups_and_attributes_are_read() {
    for file in files() {
        assert_eq!(file.groups("/").unwrap(), ["a.b", "numbers", "spikes", "texts"]);
        assert_eq!(file.groups("/a.b").unwrap(), ["c"]);
        assert!(file.has_dataset("/texts", "list") && !file.has_dataset("/texts", "c") && !file.has_dataset("/x", "c"));
        let strings = |name: &str| file.dataset(name).unwrap().strings().unwrap();
        assert_eq!(strings("/texts/scalar"), ["Grüße"]);
        assert_eq!(strings("/texts/list"), ["a", "", "lif1.lif"]);
        assert_eq!(strings("/texts/fixed"), ["ab", "cde"]);
        let attributes = file.attributes("/").unwrap();
        assert_eq!(attributes["title"].text(), Some("layouts"));
        assert_eq!(attributes["rate"].number(), Some(2.5));
        assert_eq!(attributes["sizes"], Attribute::Numbers(vec![1.0, 2.0, 3.0]));
        assert_eq!(file.attributes("/spikes").unwrap()["unit"].text(), Some("seconds"));
        assert_eq!(file.attributes("/texts/fixed").unwrap()["keys"], Attribute::Texts(vec!["x".into(), "y".into()]));
    }
}

#[test]
fn what_is_not_there_or_of_another_type_is_named() {
    let file = files().next().unwrap();
    let message = |error: Error| error.to_string();
    let cases = [
        (file.dataset("/texts/lst").unwrap_err(), "/texts: there is no dataset `lst`; did you mean `list`?"),
        (file.dataset("/text/list").unwrap_err(), "/text: there is no dataset `list`"),
        (file.groups("/number").unwrap_err(), "there is no group `number`; did you mean `numbers`?"),
        (
            file.dataset("/texts/list").unwrap().f64().unwrap_err(),
            "/texts/list is of the type vlen_string, but numbers are expected",
        ),
        (
            file.dataset("/numbers/gzip").unwrap().strings().unwrap_err(),
            "/numbers/gzip is of the type f32, but texts are expected",
        ),
        (file.dataset("/numbers/gzip").unwrap().lists().unwrap_err(), "but lists of numbers of variable length are expected"),
        (File::open(b"not HDF5".to_vec()).unwrap_err(), "the file is not readable, but an HDF5 file is expected"),
    ];
    for (error, expected) in cases {
        let text = message(error);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    let ramp: Vec<f64> = (0..1000).map(|k| f64::from(k / 100)).collect();
    let mut root = Group::default();
    root.insert("version", Array::text("1.0"));
    root.set_attribute("title", Attribute::Texts(vec!["a".into()]));
    let inner = root.group("node").group("nodes").group("lif1.lif");
    inner.insert("ramp", Array::numbers(vec![10, 100], ramp.clone()).deflated());
    inner.insert("third", Array::numbers(vec![], vec![1.0 / 3.0]));
    inner.insert("shape", Array::new(vec![2], Values::I64(vec![-1, i64::MAX])));
    inner.insert("edges", Array::new(vec![2, 2], Values::Texts(["a", "b", "b", "ü"].map(str::to_owned).to_vec())));
    inner.insert("empty", Array::numbers(vec![0, 2], vec![]).deflated());
    let bytes = root.to_bytes().unwrap();
    let size = |array: Array| {
        let mut root = Group::default();
        root.insert("ramp", array);
        root.to_bytes().unwrap().len()
    };
    let plain = Array::numbers(vec![10, 100], ramp.clone());
    assert!(size(plain.clone().deflated()) < size(plain) - 3500, "the ramp is not compressed");

    let file = File::open(bytes).unwrap();
    let path = |name: &str| format!("/node/nodes/lif1.lif/{name}");
    assert_eq!(file.dataset("/version").unwrap().strings().unwrap(), ["1.0"]);
    assert_eq!(file.dataset("/version").unwrap().shape(), [0; 0]);
    assert_eq!(file.attributes("/").unwrap()["title"].text(), Some("a"));
    assert_eq!(file.dataset(&path("ramp")).unwrap().f64().unwrap(), ramp);
    assert_eq!(file.dataset(&path("third")).unwrap().f64().unwrap(), [1.0 / 3.0]);
    assert_eq!(file.dataset(&path("shape")).unwrap().i64().unwrap(), [-1, i64::MAX]);
    assert_eq!(file.dataset(&path("edges")).unwrap().strings().unwrap(), ["a", "b", "b", "ü"]);
    assert_eq!(file.dataset(&path("edges")).unwrap().shape(), [2, 2]);
    assert_eq!(file.dataset(&path("empty")).unwrap().shape(), [0, 2]);
}

#[test]
fn trees_that_hdf5_cannot_store_are_refused() {
    let with = |name: &str, array: Array| {
        let mut root = Group::default();
        root.group("a").insert(name, array);
        root.to_bytes().unwrap_err().to_string()
    };
    let name = with("b/c", Array::text("x"));
    assert!(
        name.contains("a name in /a is \"b/c\", but names in a group must be unique, not empty, and without slashes"),
        "{name}"
    );
    let shape = with("b", Array::numbers(vec![2, 2], vec![1.0]));
    assert!(shape.contains("/a/b is of shape [2, 2], but there are 1 values"), "{shape}");
    let mut root = Group::default();
    root.insert("a", Array::text("x"));
    root.group("a");
    assert!(root.to_bytes().unwrap_err().to_string().contains("\"a\""));
}

/// Reads everything in a file, as far as it can be read.
fn read_all(file: &File, path: &str, depth: usize) {
    _ = file.attributes(path);
    for name in file.datasets(path).unwrap_or_default() {
        if let Ok(dataset) = file.dataset(&format!("{path}/{name}")) {
            _ = (dataset.f64(), dataset.i64(), dataset.strings(), dataset.lists());
        }
    }
    for name in file.groups(path).unwrap_or_default() {
        if depth < 4 {
            read_all(file, &format!("{}/{name}", path.trim_end_matches('/')), depth + 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// A damaged file is an error, or other values; it never ends the program.
    #[test]
    fn damaged_files_are_read_without_a_panic(which in 0..2usize, cut in 0.5..3.0f64, changes in prop::collection::vec((0..40000usize, any::<u8>()), 0..12)) {
        let mut bytes = FILES[which].to_vec();
        bytes.truncate((cut.min(1.0) * bytes.len() as f64) as usize);
        for (place, value) in changes {
            if let Some(byte) = bytes.get_mut(place) {
                *byte = value;
            }
        }
        if let Ok(file) = File::open(bytes) {
            read_all(&file, "/", 0);
        }
    }
}

/// A reference is neither a number nor a text, and all checksums are right.
#[test]
fn attributes_refer_to_objects() {
    let mut root = Group::default();
    let group = root.group("units");
    let id = "4c0b1fd5-0000-8000-8000-000000000001";
    group.insert(
        "times",
        Array::numbers(vec![2], vec![0.5, 1.5]).with_attribute("object_id", Attribute::Texts(vec![id.to_owned()])),
    );
    let index = Array::new(vec![1], Values::U64(vec![2])).with_attribute("target", Attribute::Reference(id.to_owned()));
    group.insert("index", index.with_attribute("description", Attribute::Texts(vec!["ends".to_owned()])));
    let bytes = root.to_bytes().unwrap();
    let file = File::open(bytes).unwrap();
    let attributes = file.attributes("/units/index").unwrap();
    assert_eq!(attributes.keys().collect::<Vec<_>>(), ["description"]);
    assert_eq!(file.dataset("/units/index").unwrap().i64().unwrap(), [2]);

    let mut lost = Group::default();
    lost.insert("index", Array::numbers(vec![1], vec![1.0]).with_attribute("target", Attribute::Reference("nobody".to_owned())));
    assert!(lost.to_bytes().unwrap_err().to_string().contains("no object is nobody"));
}

/// Soft links are followed, in groups of every form; what leads to other files, nowhere or in a circle is an error that names it. `files/links.py` wrote the files.
#[test]
fn links_are_followed_or_named() {
    for (name, bytes) in [("old", include_bytes!("files/links_old.h5").as_slice()), ("new", include_bytes!("files/links_new.h5"))]
    {
        let file = File::open(bytes.to_vec()).unwrap();
        let numbers = |path: &str| file.dataset(path).and_then(|data| data.f64()).map_err(|error| error.to_string());
        assert_eq!(numbers("/linked/x"), Ok(vec![0.0, 1.0, 2.0]), "{name}");
        assert_eq!(numbers("/linked/group/y"), Ok(vec![0.0, 1.0, 2.0, 3.0]), "{name}");
        assert_eq!(file.groups("/linked").unwrap(), ["group", "near"], "{name}");
        assert_eq!(file.datasets("/linked/near").unwrap(), ["y"], "{name}");
        let datasets = file.datasets("/linked").unwrap();
        assert!(datasets.contains(&"x".to_owned()) && file.has_dataset("/linked", "x"), "{name}: {datasets:?}");
        if name == "new" {
            assert_eq!(datasets.len(), 21);
        }
        // What a reader looks for is there, so that it says why it is not read.
        assert!(file.has_dataset("/outside", "data") && file.has_dataset("/dangling", "none"), "{name}");
        for (path, said) in [
            (
                "/outside/data",
                "/outside/data is an external link to /v of the file other.h5, but links to other files are not followed",
            ),
            ("/virtual/data", "a virtual dataset, of data in other files"),
            ("/loop", "in a circle"),
        ] {
            let error = numbers(path).unwrap_err();
            assert!(error.contains(said), "{name}, {path}: {error}");
        }
        for (group, said) in [("/outside", "an external link to /v"), ("/dangling", "there is nothing at /nowhere")] {
            let error = file.datasets(group).unwrap_err().to_string();
            assert!(error.contains(said), "{name}, {group}: {error}");
        }
    }
    let many = File::open(include_bytes!("files/links_many.h5").to_vec()).unwrap();
    let error = many.datasets("/linked").unwrap_err().to_string();
    assert!(error.contains("a group with 63 such links among 63"), "{error}");
}

/// Damaged links are no panic.
#[test]
fn damaged_links_are_errors() {
    for bytes in [
        include_bytes!("files/links_old.h5").as_slice(),
        include_bytes!("files/links_new.h5"),
        include_bytes!("files/links_many.h5"),
    ] {
        let mut state = 1_u32;
        let mut next = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        for _ in 0..2000 {
            let mut damaged = bytes.to_vec();
            for _ in 0..4 {
                damaged[next(bytes.len())] = next(256) as u8;
            }
            let Ok(file) = File::open(damaged) else { continue };
            for path in ["/", "/linked", "/outside", "/linked/group"] {
                let _ = (file.groups(path), file.datasets(path), file.attributes(path));
            }
            let _ = file.dataset("/linked/x").and_then(|data| data.f64());
        }
    }
}
