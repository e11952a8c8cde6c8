//! Files of NeuroML and LEMS as one tree: includes are read, XML is turned into [`Element`]s with their places.

use std::collections::BTreeMap;
use std::fmt;

use roxmltree::{Document as Xml, Node, ParsingOptions};
use spikelet_network::Error;

use crate::paths::{Open, beside};

/// Files of the core types, which are built in.
const CORE: [&str; 12] = [
    "Cells.xml",
    "Channels.xml",
    "Inputs.xml",
    "Networks.xml",
    "NeuroML2CoreTypes.xml",
    "NeuroMLCoreCompTypes.xml",
    "NeuroMLCoreDimensions.xml",
    "PyNN.xml",
    "Simulation.xml",
    "Synapses.xml",
    "NeuroML2.xml",
    "Dimensions.xml",
];
/// Maximum number of files that include each other.
const MAX_FILES: usize = 1000;
/// Maximum depth of elements.
const MAX_DEPTH: usize = 64;
/// Maximum number of nodes of a file.
const MAX_NODES: u32 = 20_000_000;

/// The place of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceLine {
    file: String,
    line: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}", self.file, self.line)
    }
}

/// An element with what a model needs of it.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Element>,
    pub(super) place: SourceLine,
}

impl Element {
    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(of, _)| of == name).map(|(_, value)| value.as_str())
    }

    /// The same of an attribute that must exist.
    pub(super) fn need(&self, name: &str) -> Result<&str, Error> {
        self.get(name).ok_or_else(|| {
            let path = format!("{}: <{}>", self.place, self.name);
            Error::invalid(
                path,
                "an element",
                format_args!("the attribute `{name}` is missing"),
                format_args!("add {name}=\"…\""),
            )
        })
    }

    /// Its component type: the name of the element, or `type` of a `<Component>`.
    pub(super) fn kind(&self) -> &str {
        if self.name == "Component" { self.get("type").unwrap_or("Component") } else { &self.name }
    }

    /// The same of an element with a general name, such as `<gate type="…">`.
    pub(super) fn kind_of(&self, general: &'static str) -> &str {
        if self.name == general { self.get("type").unwrap_or(general) } else { self.kind() }
    }

    /// Its children of this name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// An error about a value in it.
    pub(super) fn wrong(
        &self,
        key: &str,
        value: impl fmt::Display,
        expected: impl fmt::Display,
        way_out: impl fmt::Display,
    ) -> Error {
        let id = self.get("id").map_or(String::new(), |id| format!(" `{id}`"));
        let key = if key.is_empty() { String::new() } else { format!(", {key}") };
        Error::invalid(format_args!("{}: {}{id}{key}", self.place, self.kind()), value, expected, way_out)
    }
}

/// All files together.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// The children of the roots of all files, in their order.
    pub(super) elements: Vec<Element>,
    /// The temperature of the network in °C, if it is given.
    pub(super) celsius: Option<f64>,
    files: BTreeMap<String, ()>,
}

impl Document {
    /// Reads a file and what it includes.
    pub(super) fn read(file: &str, bytes: &[u8], open: &mut Open<'_>) -> Result<Document, Error> {
        let mut document = Document::default();
        document.add(file, bytes, open)?;
        Ok(document)
    }

    fn add(&mut self, file: &str, bytes: &[u8], open: &mut Open<'_>) -> Result<(), Error> {
        if self.files.insert(file.to_owned(), ()).is_some() {
            return Ok(());
        }
        if self.files.len() > MAX_FILES {
            return Err(Error::invalid(
                "the file",
                file,
                format_args!("more than {MAX_FILES} files include each other"),
                "include fewer",
            ));
        }
        for element in parse(file, bytes)?.children {
            let included = match element.name.as_str() {
                "Include" => Some(element.need("file")?),
                "include" => Some(element.need("href")?),
                _ => None,
            };
            let Some(included) = included else {
                self.elements.push(element);
                continue;
            };
            if CORE.contains(&included.rsplit('/').next().unwrap_or(included)) {
                continue;
            }
            let path = beside(file, included).ok_or_else(|| {
                element.wrong(
                    "",
                    format_args!("`{included}`"),
                    "a path in the folder of the file is expected",
                    "put the file beside it",
                )
            })?;
            if self.files.contains_key(&path) {
                continue;
            }
            let content = open(&path).map_err(|why| {
                element.wrong(
                    "",
                    format_args!("`{included}`"),
                    format_args!("the file cannot be read: {why}"),
                    "give this file, too",
                )
            })?;
            self.add(&path, &content, open)?;
        }
        Ok(())
    }

    /// The element with this `id`, at any depth of networks.
    pub(super) fn component(&self, id: &str) -> Option<&Element> {
        self.elements.iter().find(|element| element.get("id") == Some(id) && element.name != "ComponentType")
    }

    /// The same, for a reference in an element.
    pub(super) fn need(&self, from: &Element, key: &str) -> Result<&Element, Error> {
        let id = from.need(key)?;
        self.component(id).ok_or_else(|| {
            let known: Vec<&str> = self.elements.iter().filter_map(|element| element.get("id")).collect();
            let known = if known.is_empty() { "there are none".to_owned() } else { format!("there are {}", known.join(", ")) };
            from.wrong(
                key,
                format_args!("`{id}`"),
                format_args!("no component has this id; {known}"),
                "add the component, or include its file",
            )
        })
    }
}

/// The root of an XML file.
fn parse(file: &str, bytes: &[u8]) -> Result<Element, Error> {
    let wrong = |value: String, expected: &str| Error::invalid("the file", value, expected, "export it again");
    let text = std::str::from_utf8(bytes).map_err(|_| wrong(file.to_owned(), "it is not text in UTF-8"))?;
    // Without document types there are no entities, which could expand without end.
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let xml = Xml::parse_with_options(text, options)
        .map_err(|error| wrong(file.to_owned(), &format!("it is not valid XML: {error}")))?;
    let root = element(&Lines::of(text), xml.root_element(), file, 0)?;
    if !["Lems", "neuroml"].contains(&root.name.as_str()) {
        return Err(wrong(format!("<{}> of {file}", root.name), "a root <neuroml> or <Lems> is expected"));
    }
    Ok(root)
}

/// Where the lines of a text begin. The parser would count them from the beginning for each element.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        Lines(std::iter::once(0).chain(text.match_indices('\n').map(|(place, _)| place + 1)).collect())
    }

    /// The line of a byte, counted from 1.
    fn line(&self, byte: usize) -> u32 {
        self.0.partition_point(|first| *first <= byte) as u32
    }
}

fn element(lines: &Lines, node: Node<'_, '_>, file: &str, depth: usize) -> Result<Element, Error> {
    let place = SourceLine { file: file.to_owned(), line: lines.line(node.range().start) };
    if depth > MAX_DEPTH {
        return Err(Error::invalid(&place, node.tag_name().name(), "elements are nested too deeply", "export it again"));
    }
    let children = node.children().filter(Node::is_element).map(|child| element(lines, child, file, depth + 1));
    Ok(Element {
        name: node.tag_name().name().to_owned(),
        attributes: node.attributes().map(|of| (of.name().to_owned(), of.value().to_owned())).collect(),
        children: children.collect::<Result<_, _>>()?,
        place,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(_: &str) -> Result<Vec<u8>, String> {
        Err("there is no file".into())
    }

    #[test]
    fn lines_are_those_of_the_parser() {
        let text = "<a>\n<b/>\r\n\n<c>ä\n</c><d/></a>\n";
        let (xml, lines) = (Xml::parse(text).unwrap(), Lines::of(text));
        for node in xml.descendants().filter(Node::is_element) {
            let first = node.range().start;
            assert_eq!(lines.line(first), xml.text_pos_at(first).row);
        }
    }

    #[test]
    fn files_that_include_each_other_are_read_once() {
        let first = br#"<neuroml><include href="b.nml"/><iafCell id="a"/></neuroml>"#;
        let mut open = |path: &str| match path {
            "b.nml" => Ok(br#"<neuroml><include href="a.nml"/><iafCell id="b"/></neuroml>"#.to_vec()),
            other => Err(format!("no {other}")),
        };
        let document = Document::read("a.nml", first, &mut open).unwrap();
        assert_eq!(document.elements.iter().filter_map(|of| of.get("id")).collect::<Vec<_>>(), ["b", "a"]);
    }

    #[test]
    fn malformed_files_have_a_sentence() {
        let bomb = r#"<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><neuroml>&b;</neuroml>"#;
        let deep = format!("<neuroml>{}{}</neuroml>", "<a>".repeat(100), "</a>".repeat(100));
        for (text, said) in [
            (bomb, "not valid XML"),
            ("<neuroml><a></neuroml>", "not valid XML"),
            ("", "not valid XML"),
            ("<html/>", "<neuroml> or <Lems>"),
            (deep.as_str(), "nested too deeply"),
            (r#"<neuroml><include href="../b.nml"/></neuroml>"#, "in the folder of the file"),
            (r#"<neuroml><include href="b.nml"/></neuroml>"#, "cannot be read: there is no file"),
            (r#"<neuroml><include/></neuroml>"#, "`href` is missing"),
        ] {
            let error = Document::read("a.nml", text.as_bytes(), &mut none).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        assert!(Document::read("a.nml", &[0xff, 0xfe], &mut none).is_err());
    }
}
