//! The network, with the files that it names, as bytes for other ranks: only the first one reads files.

use std::fs;
use std::io::Cursor;

use serde::{Deserialize, Serialize};
use spikelet::{Network, Partition, ReadSeek};

use crate::failure::Failure;
use crate::source;

/// A network for another rank.
#[derive(Debug, Serialize, Deserialize)]
struct Sent {
    json: String,
    partition: Option<String>,
    files: Vec<(String, Vec<u8>)>,
}

/// The bytes of a network, and of how ranks share it.
pub(super) fn packed(network: &Network, partition: Option<&Partition>) -> Result<Vec<u8>, Failure> {
    let json = network.to_json();
    let unread = Network::from_json_unchecked(&json)?;
    let read = |name: &str| {
        let way_out = "save the content of a pipe in a file first";
        let failed = |why: String| Failure::Input(format!("{name} cannot be sent to the other ranks: {why}; {way_out}"));
        if source::is_pipe(name.as_ref()) {
            return Err(failed("it is a pipe".into()));
        }
        Ok((name.to_owned(), fs::read(name).map_err(|error| failed(error.to_string()))?))
    };
    let files = unread.files().map(read).collect::<Result<_, _>>()?;
    let partition = partition.map(|partition| spikelet_partition::to_json(network, partition));
    postcard::to_stdvec(&Sent { json, partition, files }).map_err(|error| lost(&error))
}

/// The network of bytes, and how ranks share it.
pub(super) fn unpacked(bytes: &[u8]) -> Result<(Network, Option<Partition>), Failure> {
    let Sent { json, partition, files } = postcard::from_bytes(bytes).map_err(|error| lost(&error))?;
    let mut network = Network::from_json_unchecked(&json)?;
    let mut open = |name: &str| match files.iter().find(|(known, _)| known == name) {
        Some((_, content)) => Ok(Box::new(Cursor::new(content.as_slice())) as Box<dyn ReadSeek>),
        None => Err("the first rank has not sent it".to_owned()),
    };
    network.resolve(&mut open)?;
    let partition = partition.map(|text| spikelet_partition::from_json(&network, &text)).transpose()?;
    Ok((network, partition))
}

fn lost(error: &postcard::Error) -> Failure {
    Failure::Run(format!("the network cannot be sent to other ranks: {error}; report this error"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_arrives_with_its_files() {
        let folder = std::env::temp_dir().join(format!("spikelet-ranks-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the folder is writable");
        let file = folder.join("edges.csv");
        fs::write(&file, "pre,post,w\n0,1,0.1\n1,0,0.3\n").expect("the folder is writable");
        let text = serde_json::json!({
            "name": "listed", "dt_ms": 0.1, "duration_ms": 1,
            "populations": [{"name": "n", "size": 2, "equations": "dv/dt = -v/(10*ms) : 1", "threshold": "v > 1", "reset": "v = 0"}],
            "projections": [{"name": "nn", "pre": "n", "post": "n", "pairs": {"file": file.display().to_string()},
                             "on_pre": "v_post += w", "delay_ms": 1.7}]
        });
        let mut network = Network::from_json_unchecked(&text.to_string()).expect("a network");
        network.resolve(&mut |name| Ok(Box::new(fs::File::open(name).expect("it is there")))).expect("a valid file");
        let partition = Partition::blocks(&network, 2).ok();
        let bytes = packed(&network, partition.as_ref()).expect("its files are there");
        fs::remove_dir_all(&folder).expect("it can be removed");
        assert_eq!(unpacked(&bytes).expect("the same network"), (network, partition));
    }
}
