//! Files of NeuroML and LEMS as one tree: includes are read, XML is turned into [`Element`]s with their places.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::rc::Rc;

use roxmltree::{Document as Xml, Node, ParsingOptions};
use spikelet_network::Error;

use super::units::Dimensions;
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

/// An attribute, and whether anything has read it: what nothing reads is a notice.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    pub(super) name: String,
    value: String,
    pub(super) is_read: Cell<bool>,
}

/// An element with what a model needs of it.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Element>,
    pub(super) place: SourceLine,
    /// Whether anything has read it.
    pub(super) is_read: Cell<bool>,
    /// The units that its values can have.
    pub(super) dimensions: Rc<Dimensions>,
}

impl Element {
    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.is_read.set(true);
        let found = self.attributes.iter().find(|of| of.name == name)?;
        found.is_read.set(true);
        Some(&found.value)
    }

    /// Its identifier. Comparing it with another one does not count as reading the element.
    pub(super) fn id(&self) -> Option<&str> {
        self.attributes.iter().find(|of| of.name == "id").map(|of| of.value.as_str())
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

    /// Its component type: in LEMS the attribute `type` wins over the name of the element.
    pub(super) fn kind(&self) -> &str {
        self.get("type").unwrap_or(&self.name)
    }

    /// Its children of this name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.is_read.set(true);
        self.children.iter().filter(move |child| child.name == name).inspect(|child| child.is_read.set(true))
    }

    /// Gives it and all that it contains the units of the files.
    pub(super) fn with(&mut self, dimensions: &Rc<Dimensions>) {
        self.dimensions = Rc::clone(dimensions);
        self.children.iter_mut().for_each(|child| child.with(dimensions));
    }

    /// An error about a value in it.
    pub(super) fn wrong(
        &self,
        key: &str,
        value: impl fmt::Display,
        expected: impl fmt::Display,
        way_out: impl fmt::Display,
    ) -> Error {
        let id = self.id().map_or(String::new(), |id| format!(" `{id}`"));
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
    /// The place among the elements of each identifier, and of each type; the first one of equal names.
    ids: HashMap<String, usize>,
    types: HashMap<String, usize>,
}

impl Document {
    /// Reads a file and what it includes.
    pub(super) fn read(file: &str, bytes: &[u8], open: &mut Open<'_>) -> Result<Document, Error> {
        let mut document = Document::default();
        document.add(file, bytes, open)?;
        for (place, element) in document.elements.iter().enumerate() {
            if element.name == "ComponentType" {
                document.types.entry(element.need("name")?.to_owned()).or_insert(place);
            } else if let Some(id) = element.id() {
                document.ids.entry(id.to_owned()).or_insert(place);
            }
        }
        document.check_fixed()?;
        Ok(document)
    }

    /// A type of NeuroML has the values of the component: a type without dynamics that fixes one cannot change them.
    fn check_fixed(&self) -> Result<(), Error> {
        for of in self.elements.iter().filter(|of| of.name == "ComponentType") {
            let has_dynamics = self.type_of(self.resolved(of.need("name")?)).is_some();
            if let (Some(fixed), false) = (of.all("Fixed").next(), has_dynamics) {
                let expected = "only types with Dynamics of their own can fix a parameter";
                return Err(fixed.wrong("", "<Fixed>", expected, "write the value into the components of the type"));
            }
        }
        Ok(())
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
            // `file` in LEMS, `href` in NeuroML, `url` in early versions of LEMS.
            let included = match element.name.as_str() {
                "Include" | "include" => {
                    let keys = ["file", "href", "url"];
                    let usual = if element.name == "Include" { "file" } else { "href" };
                    match keys.into_iter().find_map(|key| element.get(key)) {
                        Some(included) => included,
                        None => element.need(usual)?,
                    }
                }
                _ => {
                    self.elements.push(element);
                    continue;
                }
            };
            if CORE.contains(&included.rsplit('/').next().unwrap_or(included)) {
                continue;
            }
            let path = beside(file, included, format_args!("{}: {}", element.place, element.name))?;
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

    /// The type of this name, if the files define it.
    pub(super) fn type_of(&self, name: &str) -> Option<&Element> {
        self.types.get(name).map(|place| &self.elements[*place])
    }

    /// The type whose dynamics a component has.
    pub(super) fn kind<'a>(&'a self, component: &'a Element) -> &'a str {
        self.resolved(component.kind())
    }

    /// The type whose dynamics a type has: without dynamics those of the type that it extends, perhaps one of NeuroML.
    fn resolved<'a>(&'a self, mut kind: &'a str) -> &'a str {
        for _ in 0..self.types.len() {
            let own = self.type_of(kind).filter(|of| of.all("Dynamics").next().is_none());
            match own.and_then(|of| of.get("extends")) {
                Some(base) => kind = base,
                None => break,
            }
        }
        kind
    }

    /// The element with this `id`, at any depth of networks.
    pub(super) fn component(&self, id: &str) -> Option<&Element> {
        self.ids.get(id).map(|place| &self.elements[*place])
    }

    /// The same, for a reference in an element.
    pub(super) fn need(&self, from: &Element, key: &str) -> Result<&Element, Error> {
        let id = from.need(key)?;
        self.component(id).ok_or_else(|| {
            let known: Vec<&str> = self.elements.iter().filter_map(Element::id).collect();
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
    let attribute = |of: roxmltree::Attribute<'_, '_>| Attribute {
        name: of.name().to_owned(),
        value: of.value().to_owned(),
        is_read: Cell::new(false),
    };
    let children = node.children().filter(Node::is_element).map(|child| element(lines, child, file, depth + 1));
    Ok(Element {
        name: node.tag_name().name().to_owned(),
        attributes: node.attributes().map(attribute).collect(),
        children: children.collect::<Result<_, _>>()?,
        place,
        is_read: Cell::new(false),
        dimensions: Rc::default(),
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
        assert_eq!(document.elements.iter().filter_map(Element::id).collect::<Vec<_>>(), ["b", "a"]);
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
            (r#"<neuroml><include href="../b.nml"/></neuroml>"#, "name the folder that holds all files with --root"),
            (r#"<neuroml><include href="/b.nml"/></neuroml>"#, "an absolute path"),
            (r#"<Lems><Include url="b.nml"/></Lems>"#, "cannot be read: there is no file"),
            (r#"<neuroml><include href="b.nml"/></neuroml>"#, "cannot be read: there is no file"),
            (r#"<neuroml><include/></neuroml>"#, "`href` is missing"),
        ] {
            let error = Document::read("a.nml", text.as_bytes(), &mut none).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        assert!(Document::read("a.nml", &[0xff, 0xfe], &mut none).is_err());
    }
}
