//! A balanced network of 4000 cells (Vogels & Abbott 2005). Writes its spikes and its rates to `raster.csv` and `rates.csv` in the
//! current folder.
//!
//! ```sh
//! cargo run --release -p spikelet-gpu --example balanced_network
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};

use spikelet::{Cpu, Recorder, Simulation, catalogue};

/// Rates are counted in bins of this width.
const BIN_MS: f64 = 5.0;

/// Runs the network and writes two tables: one row for each spike, and one for each bin. Returns the mean rate of each population in Hz.
fn simulate(time_ms: f64, mut raster: impl Write, mut rates: impl Write) -> Result<Vec<(String, f64)>, Box<dyn Error>> {
    let network = catalogue::network("cuba", 1.0)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    pollster::block_on(async {
        // The number of threads does not change the spikes.
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(threads))).await?;
        let neurons = f64::from(simulation.plan().neurons());
        let mut recorder = Recorder::new(simulation.plan());
        let steps_per_bin = (BIN_MS / network.dt_ms).round() as u32;
        writeln!(raster, "t_ms,neuron")?;
        writeln!(rates, "t_ms,rate_hz")?;
        while simulation.time_ms() < time_ms {
            let start_ms = simulation.time_ms();
            let spikes = simulation.advance(steps_per_bin).await?.spikes;
            recorder.add(&spikes);
            for spike in &spikes {
                writeln!(raster, "{:.1},{}", f64::from(spike.step) * network.dt_ms, spike.neuron)?;
            }
            writeln!(rates, "{start_ms:.1},{:.3}", spikes.len() as f64 / neurons / (BIN_MS / 1000.0))?;
        }
        Ok(recorder.populations(time_ms).into_iter().map(|of| (of.name, of.rate_hz)).collect())
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = |name: &str| File::create(name).map(BufWriter::new);
    for (population, rate) in simulate(1000.0, file("raster.csv")?, file("rates.csv")?)? {
        println!("{population}: {rate:.1} Hz");
    }
    Ok(())
}

#[test]
fn both_tables_hold_the_same_spikes() -> Result<(), Box<dyn Error>> {
    let (mut raster, mut rates) = (Vec::new(), Vec::new());
    let populations = simulate(100.0, &mut raster, &mut rates)?;
    let (raster, rates) = (String::from_utf8(raster)?, String::from_utf8(rates)?);
    let binned: f64 =
        rates.lines().skip(1).map(|row| row.split(',').nth(1).unwrap_or("").parse::<f64>()).sum::<Result<_, _>>()?;
    let spikes = (raster.lines().count() - 1) as f64;
    assert_eq!(rates.lines().count() - 1, 20);
    assert!(spikes > 1000.0 && (binned * 4000.0 * BIN_MS / 1000.0 / spikes - 1.0).abs() < 0.01, "{spikes} spikes, {binned} Hz");
    assert!(populations.len() == 2 && populations.iter().all(|(_, rate)| (1.0..100.0).contains(rate)), "{populations:?}");
    Ok(())
}
