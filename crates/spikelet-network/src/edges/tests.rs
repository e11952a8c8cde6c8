use std::io::{Cursor, Write};

use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;

fn bounds() -> Bounds {
    Bounds { pre: 0..800, post: 10..20 }
}

fn csv(text: &str) -> Result<EdgeList, Error> {
    EdgeList::read("edges.csv", Cursor::new(text), &bounds())
}

fn column(name: &str, unit: Option<&str>, values: &[f64]) -> Column {
    Column { name: name.into(), unit: unit.map(str::to_owned), values: values.to_vec() }
}

/// Compares sentences; all that differ are shown at once.
fn check(cases: impl IntoIterator<Item = (Result<EdgeList, Error>, &'static str)>) {
    for (found, said) in cases {
        let error = found.expect_err(said);
        assert!(error.is_bad_input() && error.to_string().starts_with(said), "expected: {said}\n     got: {error}");
    }
}

#[test]
fn lines_with_and_without_a_header() {
    let plain = EdgeList { pairs: vec![[3, 10], [799, 19]], columns: vec![column("w", None, &[0.5, -2e3])] };
    for text in
        ["3,10,0.5\n799,19,-2e3\n", "3;10;.5\r\n799;19;-2000", "3\t10\t0.5\n\n# on\n799\t19\t-2e3\n", " 3  10 0.5\n799 19 -2e3"]
    {
        assert_eq!(csv(text).as_ref(), Ok(&plain), "{text}");
    }
    let named =
        EdgeList { pairs: vec![[3, 10]], columns: vec![column("w", Some("nS"), &[0.5]), column("delay_ms", None, &[1.5])] };
    assert_eq!(csv("\u{feff}# by hand\npost, w [nS] ,pre,\"delay_ms\"\n10,0.5,3,1.5\n"), Ok(named));
    assert_eq!(csv("# nothing\n"), Ok(EdgeList::default()));
    assert_eq!(csv("pre,post\n"), Ok(EdgeList::default()));
}

#[test]
fn wrong_lines_are_refused_with_line_and_column() {
    check([
        (
            csv("3,10\nx12,10\n"),
            "edges.csv:2: column 1 is \"x12\", but a whole number is expected, the index of a presynaptic neuron, 0 to 799; ",
        ),
        (
            csv("3,10\n3,1.5\n"),
            "edges.csv:2: column 2 is \"1.5\", but a whole number is expected, the index of a postsynaptic neuron, 10 to 19;",
        ),
        (csv("3,10\n800,10\n"), "edges.csv:2: column 1 is \"800\", but the presynaptic neurons are 0 to 799;"),
        (csv("-1,10\n"), "edges.csv:1: column 1 is \"-1\", but the presynaptic neurons are 0 to 799;"),
        (csv("3,9\n"), "edges.csv:1: column 2 is \"9\", but the postsynaptic neurons are 10 to 19;"),
        (csv("pre,post,w\n\n3,10,nan\n"), "edges.csv:3: column 3 is \"nan\", but a finite number is expected"),
        (csv("3,10,a\n"), "edges.csv:1: column 3 is \"a\", but a finite number is expected"),
        (csv("3,10,1\n3,10\n"), "edges.csv:2 is a row of 2, but the first line has 3 columns;"),
        (csv("3,10\n3,10,1\n"), "edges.csv:2 is a row of 3, but the first line has 2 columns;"),
        (csv("3\n"), "edges.csv:1 is a row of 1, but without a header the columns are pre, post and optionally w;"),
        (csv("pre,pst,w\n"), "edges.csv:1 is \"pre,pst,w\", but one of its columns must be named `post`; rename `pst`"),
        (csv("pre,post,w,w [nS]\n"), "edges.csv:1: column 4 is \"w\", but each column needs a unique name;"),
        (csv("pre,post,w [nX]\n"), "edges.csv:1: column 3 is \"nX\", but "),
        (csv("pre,post [ms]\n"), "edges.csv:1: column 2 is \"ms\", but an index has no unit;"),
        (csv("pre,post,\n"), "edges.csv:1: column 3 is \"\", but each column needs a name;"),
        (
            EdgeList::read("edges.csv", Cursor::new(b"3,10\n\xff,1\n"), &bounds()),
            "edges.csv:2 is not text, but a line of text is expected;",
        ),
        (
            EdgeList::read_csv("edges.csv", std::io::repeat(b'1'), &bounds()),
            "edges.csv:1 is a longer line, but a line has at most 1048576 bytes;",
        ),
        (
            EdgeList::read("edges.json", Cursor::new(b""), &bounds()),
            "the edge list is \"edges.json\", but an edge list must be a file that ends in .csv",
        ),
    ]);
}

#[test]
fn the_names_of_other_tools_and_identifiers() {
    let bounds = Bounds { pre: 0..4, post: 0..3 };
    let read = |text: &str| EdgeList::read("edges.csv", Cursor::new(text.to_owned()), &bounds);
    let expected = EdgeList { pairs: vec![[3, 0], [1, 2]], columns: vec![column("w", None, &[0.5, 1.0])] };
    for names in ["pre,post,w", "source,target,w", "pre,target,w"] {
        assert_eq!(read(&format!("{names}\n3,0,0.5\n1,2,1\n")).as_ref(), Ok(&expected), "{names}");
    }
    check([
        (
            read("pre,source,post\n1,1,1\n"),
            "edges.csv:1 is \"pre,source,post\", but `pre` and `source` can both be the column `pre`; rename one of them, or name it in the network",
        ),
        (read("source [ms],target\n"), "edges.csv:1: column 1 is \"ms\", but an index has no unit;"),
        (
            read("1,1\n720575940600000001,2\n720575940600000002,720575940600000001\n2,2\n"),
            "edges.csv:2: column 1 is \"720575940600000001\", but the presynaptic neurons are 0 to 3; 2 of 4 rows have 2 different numbers beyond them, as identifiers of a data set are; give the population a table of its neurons",
        ),
        (read("1,1\n4,2\n"), "edges.csv:2: column 1 is \"4\", but the presynaptic neurons are 0 to 3; correct the file"),
    ]);
}

fn matrix(text: &str) -> Result<EdgeList, Error> {
    EdgeList::read("a.mtx", Cursor::new(text), &Bounds { pre: 0..4, post: 0..3 })
}

#[test]
fn matrices_in_coordinates() {
    let real = "%%MatrixMarket matrix coordinate real general\n% by hand\n4 3 2\n1 3 0.5\n4 1 -1\n";
    let expected = EdgeList { pairs: vec![[0, 2], [3, 0]], columns: vec![column("w", None, &[0.5, -1.0])] };
    assert_eq!(matrix(real), Ok(expected));
    let pattern = "%%MatrixMarket MATRIX Coordinate Pattern Symmetric\n3 3 2\n2 1\n3 3\n";
    assert_eq!(matrix(pattern), Ok(EdgeList { pairs: vec![[1, 0], [0, 1], [2, 2]], columns: Vec::new() }));
    let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 1\n2 1 7\n";
    assert_eq!(matrix(skew).unwrap().columns, [column("w", None, &[7.0, -7.0])]);

    let real = |entries: &str| matrix(&format!("%%MatrixMarket matrix coordinate real general\n{entries}"));
    check([
        (real("4 3 2\n1 3 0.5\n"), "a.mtx is cut off after 1 of 2 entries"),
        (real(""), "a.mtx is cut off before the sizes"),
        (real("4 3 1\n1 3 0.5\n2 2 1\n"), "a.mtx:4 is \"2 2 1\", but all 1 entries were read;"),
        (real("4 3 1\n1 4 0.5\n"), "a.mtx:3: column 2 is \"4\", but the postsynaptic neurons are 1 to 3;"),
        (real("4 3 1\n0 1 0.5\n"), "a.mtx:3: column 1 is \"0\", but the presynaptic neurons are 1 to 4;"),
        (real("4 3 1\n1 1\n"), "a.mtx:3 is a line of 2, but an entry has 3 numbers;"),
        (real("4 3 1\n1 1 1 1\n"), "a.mtx:3 is a line of 4, but an entry has 3 numbers;"),
        (real("4 3 1\n1 1 inf\n"), "a.mtx:3: column 3 is \"inf\", but a finite number is expected"),
        (real("4 3\n"), "a.mtx:2 is \"4 3\", but the numbers of rows, columns and entries are expected;"),
        (real("3 4 0\n"), "a.mtx:2: column 2 is 4, but the postsynaptic neurons are 1 to 3; rows are presynaptic"),
        (matrix("4 3 1\n"), "a.mtx:1 is \"4 3 1\", but a Matrix Market file begins with five words"),
        (matrix("%%MatrixMarket matrix array real general\n"), "a.mtx:1 is \"matrix array\", but"),
        (matrix("%%MatrixMarket matrix coordinate complex general\n"), "a.mtx:1 is \"complex\", but"),
        (matrix("%%MatrixMarket matrix coordinate real hermitian\n"), "a.mtx:1 is \"hermitian\", but"),
        (
            matrix("%%MatrixMarket matrix coordinate pattern symmetric\n4 3 1\n4 1\n"),
            "a.mtx:3: column 1 is 4, but the postsynaptic neurons are 1 to 3;",
        ),
    ]);
}

/// An array as NumPy writes it.
fn npy(version: u8, kind: &str, shape: &str, numbers: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}   \n");
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((header.len() as u16).to_le_bytes()),
        _ => bytes.extend((header.len() as u32).to_le_bytes()),
    }
    bytes.extend(header.as_bytes());
    bytes.extend(numbers);
    bytes
}

fn ints(numbers: &[i32]) -> Vec<u8> {
    npy(1, "<i4", &format!("{},", numbers.len()), &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
}

fn floats(numbers: &[f64]) -> Vec<u8> {
    npy(3, "<f8", &format!("{},", numbers.len()), &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
}

/// A zip archive of the files, with large or small sizes.
fn archive(files: &[(&str, Vec<u8>)], deflated: bool, large: bool) -> Vec<u8> {
    written(ZipWriter::new(Cursor::new(Vec::new())), files, deflated, large).into_inner()
}

fn written<W: Write + Seek>(mut archive: ZipWriter<W>, files: &[(&str, Vec<u8>)], deflated: bool, large: bool) -> W {
    let method = if deflated { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    for (name, content) in files {
        let options = SimpleFileOptions::default().compression_method(method).large_file(large);
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap()
}

fn npz(bytes: &[u8]) -> Result<EdgeList, Error> {
    EdgeList::read("a.npz", Cursor::new(bytes), &Bounds { pre: 0..4, post: 0..3 })
}

#[test]
fn arrays_of_numpy() {
    let shape = npy(1, "<i8", "2,", &[4_i64, 3].map(i64::to_le_bytes).concat());
    let text = |format: &str| npy(1, "|S3", "", format.as_bytes());
    let expected = EdgeList { pairs: vec![[0, 2], [3, 0], [3, 1]], columns: vec![column("w", None, &[0.5, -1.0, 2.0])] };
    let values = floats(&[0.5, -1.0, 2.0]);
    let coo = [
        ("row", ints(&[0, 3, 3])),
        ("col", ints(&[2, 0, 1])),
        ("format", text("coo")),
        ("shape", shape.clone()),
        ("data", values.clone()),
    ];
    let csr = [
        ("indices", ints(&[2, 0, 1])),
        ("indptr", ints(&[0, 1, 1, 1, 3])),
        ("format", text("csr")),
        ("shape", shape),
        ("data", values),
    ];
    // Of a sparse array, which scipy marks.
    let marked = [&csr[..], &[("_is_array", npy(1, "|b1", "", &[1]))]].concat();
    assert_eq!(npz(&archive(&marked, true, false)).as_ref(), Ok(&expected));
    for (deflated, large) in [(false, false), (false, true), (true, false), (true, true)] {
        assert_eq!(npz(&archive(&coo, deflated, large)).as_ref(), Ok(&expected));
        assert_eq!(npz(&archive(&csr, deflated, large)).as_ref(), Ok(&expected));
    }
    let csc = [("indices", ints(&[3, 3, 0])), ("indptr", ints(&[0, 1, 2, 3])), ("format", text("csc"))];
    assert_eq!(npz(&archive(&csc, true, true)).unwrap().pairs, [[3, 0], [3, 1], [0, 2]]);

    // Other types and orders of bytes, and columns by name.
    let own = [
        ("pre", npy(2, ">u2", "2,", &[0, 1, 0, 3])),
        ("post", npy(1, "|i1", "2,", &[2, 0])),
        ("we", npy(1, "<f4", "2,", &[1.5_f32, -2.0].map(f32::to_le_bytes).concat())),
        ("delay_ms", npy(1, "<i8", "2,", &[1_i64, 7].map(i64::to_le_bytes).concat())),
    ];
    let expected = EdgeList {
        pairs: vec![[1, 2], [3, 0]],
        columns: vec![column("we", None, &[1.5, -2.0]), column("delay_ms", None, &[1.0, 7.0])],
    };
    assert_eq!(npz(&archive(&own, true, false)).as_ref(), Ok(&expected));
    // Written to a pipe: how long a file is stands behind it.
    let piped = written(ZipWriter::new_stream(Vec::new()), &own, true, false).into_inner();
    assert_eq!(npz(&piped), Ok(expected));
}

#[test]
fn wrong_arrays_are_refused_with_their_place() {
    let with = |files: &[(&str, Vec<u8>)]| npz(&archive(files, true, false));
    let (pre, post) = (("pre", ints(&[0, 1])), ("post", ints(&[0, 1])));
    // It promises more than it holds: nothing of it is unpacked.
    let long = || npy(1, "|i1", "500000000,", &[0; 8]);
    let whole = archive(&[pre.clone(), post.clone()], false, false);
    let mut damaged = whole.clone();
    let name = damaged.windows(8).position(|bytes| bytes == b"post.npy").unwrap();
    let content = damaged[name..].windows(2).position(|bytes| bytes == b" \n").unwrap();
    damaged[name + content + 2] = 2;
    // A field of both headers of `pre`: where its file begins, and in the table of contents.
    let with_field = |at: usize, value: u8| {
        let mut changed = whole.clone();
        changed[4 + at] = value;
        let entry = changed.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
        changed[entry + 6 + at] = value;
        changed
    };
    let (encrypted, method) = (with_field(2, 1), with_field(4, 12));
    check([
        (with(&[("row", ints(&[0, 9])), ("col", ints(&[0, 1]))]), "a.npz: row[1] is 9, but the presynaptic neurons are 0 to 3;"),
        (
            with(&[("row", ints(&[0, 1])), ("col", ints(&[-1, 1]))]),
            "a.npz: col[0] is -1, but the postsynaptic neurons are 0 to 2;",
        ),
        (with(&[pre.clone(), ("post", ints(&[0]))]), "a.npz: post is 1 long, but `pre` has 2 elements;"),
        (with(&[pre.clone(), post.clone(), ("w", floats(&[1.0]))]), "a.npz: w is 1 long, but there are 2 edges;"),
        (
            with(&[pre.clone(), post.clone(), ("w", floats(&[1.0, f64::NAN]))]),
            "a.npz: w[1] is NaN, but a finite number is expected",
        ),
        (with(&[pre.clone(), ("post", floats(&[0.0, 1.0]))]), "a.npz: post is not an array of whole numbers, but indices"),
        (with(std::slice::from_ref(&pre)), "a.npz: post is missing, but indices of neurons are expected;"),
        (with(&[("w", floats(&[]))]), "a.npz is made of w, but edges must be the arrays `row` and `col`"),
        (with(&[]), "a.npz is without arrays, but edges must be"),
        (with(&[("row", npy(1, "<c8", "0,", &[]))]), "a.npz: row is of type \"<c8\", but whole numbers or floats are expected;"),
        (with(&[("row", npy(1, "<i4", "2, 2", &[0; 16]))]), "a.npz: row is of shape (2, 2), but an array of one dimension"),
        (with(&[("row", npy(9, "<i4", "0,", &[]))]), "a.npz: row is no array, but an array of numpy.save, version 1 to 3"),
        (
            with(&[("indptr", ints(&[0, 5])), ("indices", ints(&[1]))]),
            "a.npz: indptr[1] is 5, but it must increase from 0 to the number of edges, 1;",
        ),
        (with(&[("indptr", ints(&[0])), ("indices", ints(&[1]))]), "a.npz: indptr is up to 0, but its last element"),
        (
            with(&[("indptr", ints(&[0])), ("indices", ints(&[])), ("format", npy(1, "|S3", "", b"bsr"))]),
            "a.npz: format is \"bsr\", but",
        ),
        (
            with(&[("pre", long()), post.clone()]),
            "a.npz: pre is 500000000 long, but no other array of the file has this length, and each edge needs a pre and a post",
        ),
        (
            with(&[("pre", long()), ("post", long())]),
            "a.npz: pre is 500000000 long, but the neurons make 12 pairs, and each has at most 4096 synapses;",
        ),
        (
            with(&[("indices", ints(&[1])), ("indptr", long())]),
            "a.npz: indptr is 500000000 long, but a matrix of these neurons has at most 5 row offsets",
        ),
        (npz(&whole[..whole.len() - 9]), "a.npz is cut off in the middle"),
        (npz(&whole[..whole.len() - 30]), "a.npz is cut off before its table of contents"),
        (npz(&whole[..20]), "a.npz is cut off"),
        (npz(&damaged), "a.npz is not a readable file, but the array `post` is damaged: its checksum differs;"),
        (npz(&method), "a.npz is not a readable file, but it is compressed by method 12 (BZIP2): NumPy stores or deflates;"),
        (npz(&encrypted), "a.npz is not a readable file, but it is encrypted;"),
        (npz(b"no archive at all"), "a.npz is not a readable file, but it is not a zip archive, as an .npz file must be"),
    ]);
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        edges in proptest::collection::vec((0..800_u32, 10..20_u32, -1e300..1e300_f64), 1..40), deflated: bool, large: bool,
    ) {
        let expected = EdgeList {
            pairs: edges.iter().map(|(pre, post, _)| [*pre, *post]).collect(),
            columns: vec![column("w", None, &edges.iter().map(|(.., value)| *value).collect::<Vec<_>>())],
        };
        let lines: String = edges.iter().map(|(pre, post, value)| format!("{pre};{post};{value:e}\n")).collect();
        let read = csv(&lines);
        prop_assert_eq!(read.as_ref(), Ok(&expected));
        let entries: String = edges.iter().map(|(pre, post, value)| format!("{} {} {value:e}\n", pre + 1, post + 1)).collect();
        let matrix = format!("%%MatrixMarket matrix coordinate real general\n800 20 {}\n{entries}", edges.len());
        let read = EdgeList::read("a.mtx", Cursor::new(matrix), &bounds());
        prop_assert_eq!(read.as_ref(), Ok(&expected));
        let side = |side: fn(&(u32, u32, f64)) -> u32| ints(&edges.iter().map(|edge| side(edge) as i32).collect::<Vec<_>>());
        let arrays = [("row", side(|edge| edge.0)), ("col", side(|edge| edge.1)), ("data", floats(&expected.columns[0].values))];
        let read = EdgeList::read("a.npz", Cursor::new(archive(&arrays, deflated, large)), &bounds());
        prop_assert_eq!(read.as_ref(), Ok(&expected));
    }

    /// Whatever the bytes are, the answer is a list or a sentence.
    #[test]
    fn no_file_can_make_it_panic(bytes: Vec<u8>, cut in 0..400_usize, at in 0..400_usize, byte: u8) {
        let arrays = [("row", ints(&[0, 3])), ("col", ints(&[2, 10])), ("data", floats(&[0.5, -1.0]))];
        let mut damaged = archive(&arrays, false, true);
        let end = damaged.len() - 1;
        damaged[at.min(end)] = byte;
        damaged.truncate(end.saturating_sub(cut));
        for name in ["a.csv", "a.mtx", "a.npz"] {
            for bytes in [&bytes, &damaged] {
                if let Ok(edges) = EdgeList::read(name, Cursor::new(bytes), &bounds()) {
                    prop_assert!(edges.pairs.iter().all(|[pre, post]| bounds().pre.contains(pre) && bounds().post.contains(post)));
                }
            }
        }
    }
}
