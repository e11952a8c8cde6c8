//! What nothing has read: each attribute and element that an import does not use is a notice.

use indexmap::IndexMap;
use spikelet_network::Notice;

use super::document::Element;

/// Elements that describe, in any element: nothing that runs depends on them.
const DESCRIPTIONS: [&str; 11] = [
    "notes",
    "annotation",
    "property",
    "space",
    "region",
    "layout",
    "extracellularProperties",
    "ComponentType",
    "Assertion",
    "Target",
    "EventOutputFile",
];
/// Attributes that name or describe, of any element, and those that say where on a cell something is: cells are points.
const NAMES: [&str; 26] = [
    "id",
    "metaid",
    "neuroLexId",
    "description",
    "type",
    "schemaLocation",
    "destination",
    "preSegment",
    "postSegment",
    "preSegmentId",
    "postSegmentId",
    "preFractionAlong",
    "postFractionAlong",
    "segmentId",
    "segment",
    "segmentGroup",
    "fractionAlong",
    "sourcePort",
    "targetPort",
    "species",
    "name",
    "parent",
    "extracellularProperties",
    "space",
    "symbol",
    "reportFile",
];
/// What is known and has no effect here, of single elements: how a simulation is displayed, and what only cells with several segments have.
const WITHOUT_EFFECT: [(&str, &[&str]); 14] = [
    ("Simulation", &["Display", "OutputFile", "EventOutputFile"]),
    ("Display", &["title", "timeScale", "xmin", "xmax", "ymin", "ymax", "color"]),
    ("Line", &["scale", "color", "timeScale"]),
    ("OutputFile", &["fileName", "path"]),
    ("OutputColumn", &["color"]),
    ("cell", &["morphology", "biophysicalProperties"]),
    ("morphology", &["segment", "segmentGroup"]),
    ("intracellularProperties", &["resistivity", "species"]),
    ("channelDensity", &["ion"]),
    ("channelPopulation", &["ion"]),
    ("ionChannel", &["conductance"]),
    ("ionChannelHH", &["conductance"]),
    ("ionChannelKS", &["conductance"]),
    ("ionChannelPassive", &["conductance"]),
];

/// A notice for each kind of attribute and element that was not read in those that were, with the first place of it.
pub(super) fn unused(elements: &[Element]) -> Vec<Notice> {
    let mut found = IndexMap::new();
    elements.iter().for_each(|element| collect(element, &mut found));
    let notice = |(what, (place, count)): (String, (String, usize))| {
        let others = if count > 1 { format!(", nor in {} other places", count - 1) } else { String::new() };
        Notice::new(place, format!("{what} is not used{others}"))
    };
    found.into_iter().map(notice).collect()
}

fn collect(of: &Element, found: &mut IndexMap<String, (String, usize)>) {
    if !of.is_read.get() || DESCRIPTIONS.contains(&of.name.as_str()) {
        return;
    }
    let without_effect = WITHOUT_EFFECT.iter().find(|(name, _)| *name == of.name).map_or(&[][..], |(_, parts)| *parts);
    let mut add = |what: String, place: &Element| {
        found.entry(what).or_insert_with(|| (place.place.to_string(), 0)).1 += 1;
    };
    for attribute in &of.attributes {
        let name = attribute.name.as_str();
        if !(attribute.is_read.get() || NAMES.contains(&name) || without_effect.contains(&name)) {
            add(format!("the attribute `{name}` of <{}>", of.name), of);
        }
    }
    for child in &of.children {
        let name = child.name.as_str();
        if !(child.is_read.get() || DESCRIPTIONS.contains(&name) || without_effect.contains(&name)) {
            add(format!("<{name}> in <{}>", of.name), child);
        }
    }
    of.children.iter().for_each(|child| collect(child, found));
}
