//! `--screen`: one run for each text in a column of the table of neurons, with the neurons that have it silenced.

use std::borrow::Cow;

use spikelet::selection::Selection;
use spikelet::{Endpoint, Network, Sweep};

use crate::args::{RunArguments, Screen};
use crate::failure::Failure;
use crate::source;

/// The sweep over the groups of a screen; the first run has none silenced.
fn sweep(screen: &Screen, network: &Network) -> Result<Sweep, Failure> {
    let Endpoint { population: name, condition, .. } = &screen.neurons;
    let table = network.population(name).map(|population| population.neurons.as_ref().and_then(|neurons| neurons.table()));
    let Some(table) = table else {
        let known = network.populations.iter().map(|population| population.name.as_str());
        return Err(spikelet::Error::unknown_name("--screen", "population", name, known).into());
    };
    let Some(table) = table else {
        let sentence = "--screen needs a table of neurons, \"neurons\": {\"file\": \"neurons.csv\", \"id\": \"root_id\"}";
        return Err(Failure::Input(format!("{sentence}, and `{name}` has none; silence neurons by --silence")));
    };
    let mut is_wanted = vec![true; table.rows()];
    if let Some(condition) = condition {
        is_wanted.fill(false);
        let selected = Selection::parse("--screen", condition)?.neurons("--screen", table)?;
        selected.into_iter().for_each(|neuron| is_wanted[neuron as usize] = true);
    }
    let places = table.places(&screen.column)?;
    let texts: Vec<&str> = table.different(&screen.column)?.collect();
    let mut is_group = vec![false; texts.len()];
    places.iter().zip(is_wanted).filter(|(_, is_wanted)| *is_wanted).for_each(|(place, _)| is_group[*place as usize] = true);
    let groups = texts.into_iter().zip(is_group).filter(|(text, is_group)| *is_group && !text.is_empty());
    let value = |text: &str| -> Result<String, Failure> {
        let quote = ['\'', '"'].into_iter().find(|quote| !text.contains(*quote)).ok_or_else(|| {
            Failure::Input(format!("--screen: {text:?} has both kinds of quotes, so that no condition selects it; rename it"))
        })?;
        let own = format!("`{}` == {quote}{text}{quote}", screen.column);
        Ok(condition.as_ref().map_or_else(|| own.clone(), |all| format!("{own} and ({all})")))
    };
    let values: Vec<String> = groups.map(|(text, _)| value(text)).collect::<Result<_, _>>()?;
    if values.is_empty() {
        return Err(Failure::Input(format!("--screen: column {:?} of `{name}` has no texts there", screen.column)));
    }
    Ok(Sweep { path: format!("{name}.silenced"), values: std::iter::once("0".to_owned()).chain(values).collect() })
}

/// The arguments with a sweep for each screen.
pub(crate) fn expanded(args: &RunArguments) -> Result<Cow<'_, RunArguments>, Failure> {
    if args.screen.is_empty() {
        return Ok(Cow::Borrowed(args));
    }
    let network = source::with_tables(&args.network)?;
    let mut own = args.clone();
    for screen in &args.screen {
        own.sweep.push(sweep(screen, &network)?);
    }
    Ok(Cow::Owned(own))
}

/// Lets neurons be silenced by the sweeps.
pub(crate) fn prepare(args: &RunArguments, network: &mut Network) -> Result<(), Failure> {
    Ok(network.add_silenced_for(args.sweep.iter().map(|sweep| sweep.path.as_str()))?)
}
