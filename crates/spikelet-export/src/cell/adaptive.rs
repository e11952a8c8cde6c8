//! The exponential rise and the adaptation of a cell (Brette & Gerstner 2005, J Neurophysiol 94:3637).

use super::terms::Terms;
use super::{Contribution, tidy};

/// What an adaptive exponential cell has beside a leaky one, in NEST's names and units.
#[derive(Debug)]
pub(crate) struct Adaptive {
    /// DT in mV.
    pub(crate) delta_t: Vec<f64>,
    /// VT in mV.
    pub(crate) rise: Vec<f64>,
    /// a in nS.
    pub(crate) a: Vec<f64>,
    /// b in pA.
    pub(crate) b: Vec<f64>,
    /// tw in ms.
    pub(crate) tau_w: Vec<f64>,
    /// w at the start, in pA.
    pub(crate) w: Vec<f64>,
    /// The constant current in pA: without it the potential rests where the adaptation does.
    pub(crate) current: Vec<f64>,
}

impl Adaptive {
    /// Of capacity, leak and rest, which becomes that of the adaptation; the amplitude at v = 0 and the width of the exponential; and the variable of the adaptation with what a spike adds to it.
    pub(super) fn new(
        terms: &Terms<'_>,
        v: usize,
        (capacity, leak, rest): (&[f64], &[f64], &mut [f64]),
        exponential: Option<[Vec<f64>; 2]>,
        (adaptation, increment): (Option<Contribution>, Vec<f64>),
    ) -> Result<Adaptive, String> {
        let Some([amplitude, delta_t]) = exponential else {
            return Err("they adapt without an exponential rise".into());
        };
        // A exp(v/D) = gL/C · D exp((v − VT)/D)
        let rise = |neuron: usize| {
            let (width, leak) = (delta_t[neuron], leak[neuron] / capacity[neuron]);
            -width * (amplitude[neuron] / (leak * width)).ln()
        };
        let rise: Vec<f64> = (0..terms.size).map(rise).collect();
        let none = vec![0.0; terms.size];
        let Some(Contribution { variable, slope, constant }) = adaptation else {
            let (a, b, w, current) = (none.clone(), none.clone(), none.clone(), none);
            return Ok(Adaptive { delta_t, rise, a, b, tau_w: vec![1.0; terms.size], w, current });
        };
        let no = || format!("`{}` is no adaptation to the potential above rest", terms.name(variable));
        let (decay, drive) = terms.relaxation(variable).ok_or_else(no)?;
        let threshold: Vec<f64> = rise.clone();
        let (follows, offset) = terms.affine(&drive, v, &threshold).ok_or_else(no)?;
        if slope.iter().any(|slope| *slope != 0.0) {
            return Err(no());
        }
        let start = terms.initial(variable);
        let mut all = [(); 5].map(|()| Vec::with_capacity(terms.size));
        for neuron in 0..terms.size {
            let (tau, scale) = (-1.0 / decay[neuron], -constant[neuron] * capacity[neuron]);
            let above = if follows[neuron] == 0.0 { rest[neuron] } else { -offset[neuron] / follows[neuron] };
            if !(tau > 0.0 && above.is_finite()) {
                return Err(no());
            }
            let above = tidy(above);
            let current = tidy(leak[neuron] * (rest[neuron] - above));
            rest[neuron] = above;
            let values =
                [tidy(follows[neuron] * tau * scale), tidy(increment[neuron] * scale), tidy(tau), start[neuron] * scale, current];
            all.iter_mut().zip(values).for_each(|(all, value)| all.push(value));
        }
        let [a, b, tau_w, w, current] = all;
        Ok(Adaptive { delta_t, rise, a, b, tau_w, w, current })
    }
}
