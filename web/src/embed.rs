//! The code to embed the open network in another page.

use serde_json::Value;

use crate::session::Current;

/// The folder of the package after `npm install spikelet`, relative to the page.
const PACKAGE: &str = "./node_modules/spikelet/js";

/// The network in the embedding page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Embedded {
    /// Its name in the catalogue, or its file.
    source: String,
    scale: f64,
    seed: Option<u64>,
    /// A recorded variable.
    trace: Option<String>,
    /// A parameter for a slider.
    parameter: Option<String>,
    /// Whether a file is needed.
    pub(crate) is_file: bool,
}

impl Embedded {
    /// A network of the catalogue by its name, if it is unchanged; else a file with this name.
    pub(crate) fn of(current: &Current, file: &str) -> Embedded {
        let named = current.open_request.catalogue().filter(|_| current.changes().is_empty());
        let (source, scale) = named.unwrap_or((file, 1.0));
        let parameters = current.opened.network.populations.iter().flat_map(|population| &population.parameters);
        Embedded {
            source: source.to_owned(),
            scale,
            seed: current.open_request.seed.filter(|_| named.is_some()),
            trace: current.opened.channels.first().map(|channel| channel.variable.clone()),
            parameter: parameters.map(|parameter| parameter.path.clone()).next(),
            is_file: named.is_none(),
        }
    }

    /// As an element, with plots and a slider.
    pub(crate) fn element(&self) -> String {
        let plots = format!("raster rates {}", self.trace.as_deref().unwrap_or_default());
        let attributes = [
            ("src", Some(self.source.clone())),
            ("scale", (self.scale != 1.0).then(|| self.scale.to_string())),
            ("seed", self.seed.map(|seed| seed.to_string())),
            ("plots", Some(plots.trim_end().to_owned())),
            ("parameters", self.parameter.clone()),
        ];
        let attributes = attributes.into_iter().filter_map(|(name, value)| Some(format!("\n  {name}=\"{}\"", escape(&value?))));
        format!(
            "<script type=\"module\" src=\"{PACKAGE}/element.js\"></script>\n<spikelet-network{}\n></spikelet-network>",
            attributes.collect::<String>()
        )
    }

    /// As a script.
    pub(crate) fn script(&self) -> String {
        let options = [
            ("scale", (self.scale != 1.0).then(|| self.scale.to_string())),
            // Numbers of JavaScript are exact up to 2⁵³.
            ("seed", self.seed.map(|seed| format!("{seed}n"))),
        ];
        let options: Vec<String> = options.into_iter().filter_map(|(name, value)| Some(format!("{name}: {}", value?))).collect();
        let options = if options.is_empty() { String::new() } else { format!(", {{ {} }}", options.join(", ")) };
        // JSON is valid JavaScript, except for the end tag of scripts.
        let source = Value::from(self.source.as_str()).to_string().replace('<', "\\u003c");
        format!(
            "<script type=\"module\">
  import {{ Spikelet }} from \"{PACKAGE}/index.js\";

  const simulation = await Spikelet.create({source}{options});
  simulation.on(\"spikes\", ({{ neurons, spikeSteps, dtMs }}) => {{
    neurons.forEach((neuron, k) => console.log(neuron, spikeSteps[k] * dtMs));
  }});
  await simulation.run(100);
</script>"
        )
    }
}

/// A text as the value of an attribute.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuba() -> Embedded {
        Embedded {
            source: "cuba".into(),
            scale: 1.0,
            seed: None,
            trace: Some("v".into()),
            parameter: Some("E.taum".into()),
            is_file: false,
        }
    }

    #[test]
    fn a_published_network_is_its_name() {
        let element = "<script type=\"module\" src=\"./node_modules/spikelet/js/element.js\"></script>
<spikelet-network
  src=\"cuba\"
  plots=\"raster rates v\"
  parameters=\"E.taum\"
></spikelet-network>";
        assert_eq!(cuba().element(), element);
        assert!(cuba().script().contains("Spikelet.create(\"cuba\");"), "{}", cuba().script());
    }

    #[test]
    fn size_and_seed_go_along() {
        let embedded = Embedded { scale: 0.25, seed: Some(7), trace: None, parameter: None, ..cuba() };
        assert!(embedded.element().contains("src=\"cuba\"\n  scale=\"0.25\"\n  seed=\"7\"\n  plots=\"raster rates\"\n>"));
        assert!(embedded.script().contains("Spikelet.create(\"cuba\", { scale: 0.25, seed: 7n });"));
    }

    #[test]
    fn odd_names_end_neither_a_text_nor_a_script() {
        let embedded = Embedded { source: "a\"b</script>.json".into(), parameter: Some("E<\"&.x".into()), ..cuba() };
        assert!(embedded.element().contains("src=\"a&quot;b&lt;/script>.json\""), "{}", embedded.element());
        assert!(embedded.element().contains("parameters=\"E&lt;&quot;&amp;.x\""));
        assert!(embedded.script().contains("create(\"a\\\"b\\u003c/script>.json\")"), "{}", embedded.script());
    }
}
