use std::io::Cursor;
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt16Array};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use indexmap::IndexMap;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::edges::{Bounds, EdgeList, Meaning};
use crate::{Ids, NeuronTable};

/// The first identifier of the tests: one of 18 digits.
const FIRST: i64 = 720_575_940_600_000_001;

/// Edges with the columns of FlyWire, by neuropil.
fn edges() -> RecordBatch {
    let of = |neurons: [i64; 4]| Int64Array::from_iter_values(neurons.map(|neuron| FIRST + neuron));
    let neuropil: DictionaryArray<Int8Type> = ["AL", "MB", "AL", "AL"].into_iter().collect();
    batch([
        ("pre_pt_root_id", Arc::new(of([2, 0, 2, 1]))),
        ("post_pt_root_id", Arc::new(of([0, 1, 0, 2]))),
        ("neuropil", Arc::new(neuropil)),
        ("syn_count", Arc::new(UInt16Array::from(vec![7, 5, 3, 9]))),
    ])
}

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> RecordBatch {
    RecordBatch::try_from_iter(columns).expect("it is valid")
}

fn feather(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = IpcWriteOptions::default().try_with_compression(compression).expect("it is valid");
    let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).expect("it is valid");
    // Several batches.
    (0..batch.num_rows()).for_each(|row| writer.write(&batch.slice(row, 1)).expect("it is valid"));
    writer.finish().expect("it is valid");
    drop(writer);
    bytes
}

fn parquet(batch: &RecordBatch, compression: Compression) -> Vec<u8> {
    let mut bytes = Vec::new();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).expect("it is valid");
    writer.write(batch).expect("it is valid");
    writer.close().expect("it is valid");
    bytes
}

/// A table in every form in which others write it, with the name of a file.
fn written(batch: &RecordBatch) -> Vec<(&'static str, Vec<u8>)> {
    let packed = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default()), Compression::LZ4_RAW];
    let arrow = [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];
    let feather = arrow.into_iter().map(|compression| ("e.feather", feather(batch, compression)));
    feather.chain(packed.into_iter().map(|compression| ("e.parquet", parquet(batch, compression)))).collect()
}

fn read(name: &str, bytes: &[u8], ids: Option<&Ids>, columns: &[(&str, &str)], skip_unknown: bool) -> Result<EdgeList, String> {
    let columns: IndexMap<String, String> = columns.iter().map(|(of, column)| (of.to_string(), column.to_string())).collect();
    let meaning = Meaning { ids: [ids; 2], columns: Some(&columns).filter(|columns| !columns.is_empty()), skip_unknown };
    let bounds = Bounds { pre: 0..3, post: 0..3 };
    EdgeList::read_as(name, Cursor::new(bytes), &bounds, &meaning).map_err(|error| error.to_string())
}

fn ids() -> Ids {
    let ids: Vec<String> = (FIRST..FIRST + 3).map(|id| id.to_string()).collect();
    Ids::new("the table", ids.iter().map(String::as_str)).expect("it is valid")
}

#[test]
fn edges_by_identifiers_are_read_in_every_compression() {
    for (name, bytes) in written(&edges()) {
        let read = read(name, &bytes, Some(&ids()), &[("w", "syn_count")], false).unwrap();
        assert_eq!(read.pairs, [[2, 0], [0, 1], [2, 0], [1, 2]], "{name}");
        assert_eq!((read.columns.len(), &read.columns[0].values[..]), (1, &[7.0, 5.0, 3.0, 9.0][..]), "{name}");
        let summed = read.clone().summed(name, &["w".to_owned()]).unwrap();
        assert_eq!((summed.pairs, &summed.columns[0].values[..]), (vec![[2, 0], [0, 1], [1, 2]], &[10.0, 5.0, 9.0][..]));
        assert!(read.summed(name, &["v".to_owned()]).unwrap_err().to_string().contains("`w`"));
    }
}

#[test]
fn what_differs_within_a_pair_is_not_added_up_silently() {
    let csv = "pre,post,w,delay_ms\n0,1,2,1\n0,1,3,1\n2,1,1,1\n0,1,1,1.5\n";
    let edges = EdgeList::read("e.csv", Cursor::new(csv), &Bounds { pre: 0..3, post: 0..3 }).unwrap();
    let error = edges.clone().summed("e.csv", &["w".to_owned()]).unwrap_err().to_string();
    assert!(error.contains("1 and 1.5 from neuron 0 to 1") && error.contains("`delay_ms`"), "{error}");
    let both = edges.summed("e.csv", &["w".to_owned(), "delay_ms".to_owned()]).unwrap();
    assert_eq!((both.pairs, &both.columns[0].values[..]), (vec![[0, 1], [2, 1]], &[6.0, 1.0][..]));
}

#[test]
fn indices_floats_and_texts_are_neurons_too() {
    let indices = batch([
        ("source", Arc::new(Int64Array::from(vec![2, 0])) as ArrayRef),
        ("target", Arc::new(Float64Array::from(vec![1.0, 2.0]))),
        ("w", Arc::new(StringArray::from(vec!["0.5", "1e-3"]))),
    ]);
    for (name, bytes) in written(&indices) {
        let read = read(name, &bytes, None, &[], false).unwrap();
        assert_eq!((read.pairs, &read.columns[0].values[..]), (vec![[2, 1], [0, 2]], &[0.5, 1e-3][..]), "{name}");
    }
}

#[test]
fn wrong_cells_are_errors_with_their_places() {
    let table = |pre: ArrayRef, w: ArrayRef| {
        let post: ArrayRef = Arc::new(Int64Array::from(vec![FIRST, FIRST + 1, FIRST + 2]));
        parquet(&batch([("pre", pre), ("post", post), ("w", w)]), Compression::SNAPPY)
    };
    let whole = |numbers: [i64; 3]| Arc::new(Int64Array::from_iter_values(numbers.map(|number| FIRST + number))) as ArrayRef;
    let w = || Arc::new(Float64Array::from(vec![Some(1.0), None, Some(2.0)])) as ArrayRef;
    let full = || Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0])) as ArrayRef;
    let error = |bytes: &[u8]| read("e.parquet", bytes, Some(&ids()), &[], false).unwrap_err();
    assert!(error(&table(whole([0, 1, 2]), w())).starts_with("e.parquet: row 2 of column \"w\" is \"\", but a finite number"));
    let unknown = table(whole([0, 7, 8]), full());
    let message = error(&unknown);
    assert!(message.contains("row 2 of column \"pre\" is 720575940600000008"), "{message}");
    assert!(message.contains("2 of 3 rows have 2 different ones that it lacks"), "{message}");
    let skipped = read("e.parquet", &unknown, Some(&ids()), &[], true).unwrap();
    assert_eq!((skipped.pairs, &skipped.columns[0].values[..]), (vec![[0, 0]], &[1.0][..]));
    // What has gone through floats has lost digits.
    let floats = Arc::new(Float64Array::from_iter_values((0..3).map(|k| (FIRST + k) as f64))) as ArrayRef;
    assert!(error(&table(floats, full())).contains("has lost its last digits"));
    assert!(read("e.parquet", &unknown, None, &[], false).unwrap_err().contains("the presynaptic neurons are 0 to 2"));
    assert!(read("e.parquet", &unknown, None, &[("w", "weight")], false).unwrap_err().contains("`weight`"));
}

#[test]
fn other_files_are_told_apart_and_none_makes_it_panic() {
    let error = |name: &str, bytes: &[u8]| read(name, bytes, None, &[], false).unwrap_err();
    assert!(error("e.feather", b"FEA1....").contains("version 2"));
    assert!(error("e.parquet", b"pre,post\n0,1\n").contains("neither like a Feather file"));
    assert!(error("e.arrow", b"").contains("neither like a Feather file"));
    for (name, bytes) in written(&edges()) {
        for length in (0..bytes.len()).step_by(7) {
            let _ = read(name, &bytes[..length], Some(&ids()), &[("w", "syn_count")], false);
        }
        for place in (0..bytes.len()).step_by(3) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x55;
            let _ = read(name, &damaged, Some(&ids()), &[("w", "syn_count")], false);
        }
    }
}

#[test]
fn a_table_of_neurons_is_that_of_its_csv() {
    let kinds: DictionaryArray<Int8Type> = [Some("KC"), None, Some("LB1, a")].into_iter().collect();
    let table = batch([
        ("root_id", Arc::new(Int64Array::from(vec![FIRST, FIRST + 1, FIRST + 2])) as ArrayRef),
        ("type", Arc::new(kinds)),
        ("x", Arc::new(Float64Array::from(vec![Some(1.5), Some(2.0), None]))),
    ]);
    let csv = format!("root_id,type,x\n{FIRST},KC,1.5\n{},,2.0\n{},\"LB1, a\",\n", FIRST + 1, FIRST + 2);
    let expected = NeuronTable::read("n", Cursor::new(csv), Some("root_id")).unwrap();
    for (name, bytes) in written(&table) {
        let read = NeuronTable::read(name, Cursor::new(bytes), Some("root_id")).unwrap();
        assert_eq!(read.rows(), 3);
        for column in ["root_id", "id", "type", "x"] {
            assert!(read.texts(column).unwrap().eq(expected.texts(column).unwrap()), "{name}: {column}");
        }
    }
}
