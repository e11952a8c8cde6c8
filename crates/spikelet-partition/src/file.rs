//! Partitions as JSON.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use spikelet_network::{Error, Network};
use spikelet_rows::{Assignment, Partition};

const EXAMPLE: &str = "{\"ranks\": 2, \"populations\": {\"E\": {\"blocks\": [0, 400, 800]}}}";

/// A partition of a network as JSON: `{"ranks": R, "populations": {name: {"blocks": […]} | {"ranks": […]}}}`. Rank r has the neurons from
/// entry r of `blocks` up to entry r + 1; `ranks` has the rank of each neuron.
pub fn to_json(network: &Network, partition: &Partition) -> String {
    let assignment = |assignment: &Assignment| match assignment {
        Assignment::Blocks(bounds) => json!({"blocks": bounds}),
        Assignment::Each(ranks) => json!({"ranks": **ranks}),
    };
    let shape = Partition::shape(network);
    let populations: Map<String, Value> =
        shape.into_iter().map(|(name, _)| name).zip(partition.populations().iter().map(assignment)).collect();
    format!("{}\n", json!({"ranks": partition.ranks(), "populations": populations}))
}

/// Reads a partition of a network.
///
/// # Errors
/// Malformed JSON, a population that the network lacks or the file lacks, another number of neurons, or a rank that does not exist; the place.
pub fn from_json(network: &Network, text: &str) -> Result<Partition, Error> {
    let json: Value = serde_json::from_str(text).map_err(|error| Error::Json {
        line: error.line(),
        column: error.column(),
        message: error.to_string(),
    })?;
    let wrong = |place: &str, value: &Value, expected: &str, way_out: String| {
        let value = if value.is_null() { "missing".to_owned() } else { value.to_string() };
        Err(Error::invalid(format!("the partition: {place}"), value, expected, way_out))
    };
    if let Some(key) = json.as_object().and_then(|keys| keys.keys().find(|key| !["ranks", "populations"].contains(&key.as_str())))
    {
        return Err(Error::unknown_name("the partition", "key", key, ["ranks", "populations"]));
    }
    let Some(ranks) = json["ranks"].as_u64().and_then(|ranks| u32::try_from(ranks).ok()).filter(|ranks| *ranks > 0) else {
        return wrong("ranks", &json["ranks"], "a number of ranks, at least 1, is expected", format!("as in {EXAMPLE}"));
    };
    let Some(given) = json["populations"].as_object() else {
        let expected = "an object of populations is expected";
        return wrong("populations", &json["populations"], expected, format!("as in {EXAMPLE}"));
    };
    let shape = Partition::shape(network);
    if let Some(name) = given.keys().find(|name| shape.iter().all(|(of, _)| of != *name)) {
        let known = shape.iter().map(|(name, _)| name.as_str());
        return Err(Error::unknown_name("the partition: populations", "population or source", name, known));
    }
    let mut populations = Vec::new();
    for (name, size) in &shape {
        let place = format!("populations.{name}");
        let of = given.get(name).unwrap_or(&Value::Null);
        let keys: Vec<&str> = of.as_object().map_or(Vec::new(), |of| of.keys().map(String::as_str).collect());
        let (key, list) = match keys[..] {
            ["blocks"] => ("blocks", of["blocks"].as_array()),
            ["ranks"] => ("ranks", of["ranks"].as_array()),
            _ => {
                let expected = "one of {\"blocks\": […]} and {\"ranks\": […]} is expected for each population and source";
                return wrong(&place, of, expected, format!("as in {EXAMPLE}"));
            }
        };
        let place = format!("{place}.{key}");
        let Some(list) = list else {
            return wrong(&place, &of[key], "a list of whole numbers is expected", format!("as in {EXAMPLE}"));
        };
        let is_blocks = key == "blocks";
        let wanted = if is_blocks { ranks as usize + 1 } else { *size as usize };
        if list.len() != wanted {
            let what = if is_blocks { "bounds, one more than ranks," } else { "ranks, one for each neuron," };
            let expected = format!("a list of {wanted} {what} is expected");
            return wrong(&place, &list.len().into(), &expected, "use a partition of this network".to_owned());
        }
        let mut numbers: Vec<u32> = Vec::with_capacity(list.len());
        for (index, value) in list.iter().enumerate() {
            let least = if is_blocks { numbers.last().copied().unwrap_or(0) } else { 0 };
            let most = match (is_blocks, index) {
                (true, 0) => 0,
                (true, _) => *size,
                (false, _) => ranks - 1,
            };
            let least = if is_blocks && index + 1 == list.len() { *size } else { least };
            match value.as_u64().and_then(|value| u32::try_from(value).ok()).filter(|value| (least..=most).contains(value)) {
                Some(number) => numbers.push(number),
                None => {
                    let expected = match (is_blocks, least == most) {
                        (true, true) => {
                            format!("the bounds are from 0 to the {size} neurons of `{name}`, and this one is {most}")
                        }
                        (true, false) => format!("the bounds increase, and this one is from {least} to {most}"),
                        (false, _) => format!("a rank from 0 to {most} is expected"),
                    };
                    return wrong(&format!("{place}[{index}]"), value, &expected, "correct it".to_owned());
                }
            }
        }
        populations.push(if is_blocks { Assignment::Blocks(numbers) } else { Assignment::Each(Arc::new(numbers)) });
    }
    Partition::new(network, ranks as usize, populations)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> Network {
        let json = r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "E", "size": 4, "model": "lif_exp"}],
            "sources": [{"name": "S", "size": 2, "spike_times_ms": []}]}"#;
        Network::from_json(json).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_partition_is_read_back() {
        let each = Assignment::Each(Arc::new(vec![1, 0, 1, 0]));
        let partition = Partition::new(&network(), 2, vec![each, Assignment::Blocks(vec![0, 2, 2])]);
        let partition = partition.unwrap_or_else(|error| panic!("{error}"));
        let text = to_json(&network(), &partition);
        assert_eq!(text, "{\"ranks\":2,\"populations\":{\"E\":{\"ranks\":[1,0,1,0]},\"S\":{\"blocks\":[0,2,2]}}}\n");
        assert_eq!(from_json(&network(), &text), Ok(partition));
    }

    #[test]
    fn errors_name_the_place() {
        let of = |e: &str| format!("{{\"ranks\": 2, \"populations\": {{\"E\": {e}, \"S\": {{\"blocks\": [0, 1, 2]}}}}}}");
        for (text, part) in [
            ("{".to_owned(), "malformed"),
            ("{\"ranks\": 0}".to_owned(), "the partition: ranks is 0, but a number of ranks, at least 1"),
            ("{\"rank\": 2}".to_owned(), "there is no key `rank`; did you mean `ranks`?"),
            ("{\"ranks\": 2}".to_owned(), "the partition: populations is missing"),
            (of("{\"blocks\": [0, 2, 4]}").replace("\"S\"", "\"T\""), "there is no population or source `T`"),
            ("{\"ranks\": 1, \"populations\": {\"E\": {\"blocks\": [0, 4]}}}".to_owned(), "populations.S is missing"),
            (of("{}"), "populations.E is {}"),
            (of("{\"ranks\": 3}"), "populations.E.ranks is 3, but a list"),
            (of("{\"ranks\": [0, 1, 0]}"), "populations.E.ranks is 3, but a list of 4 ranks"),
            (of("{\"ranks\": [0, 1, 2, 0]}"), "populations.E.ranks[2] is 2, but a rank from 0 to 1"),
            (of("{\"ranks\": [0, 1, -1, 0]}"), "populations.E.ranks[2] is -1"),
            (of("{\"blocks\": [0, 4]}"), "populations.E.blocks is 2, but a list of 3 bounds"),
            (of("{\"blocks\": [0, 5, 4]}"), "populations.E.blocks[1] is 5, but the bounds increase, and this one is from 0 to 4"),
            (of("{\"blocks\": [0, 2, 3]}"), "populations.E.blocks[2] is 3, but the bounds are from 0 to the 4 neurons"),
            (of("{\"blocks\": [1, 2, 4]}"), "populations.E.blocks[0] is 1"),
        ] {
            let message = from_json(&network(), &text).map_err(|error| error.to_string());
            assert!(message.as_ref().is_err_and(|message| message.contains(part)), "{text}: {message:?}");
        }
    }
}
