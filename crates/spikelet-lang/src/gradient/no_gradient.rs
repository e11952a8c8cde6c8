//! What has no gradient.

/// Something has no gradient.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoGradient {
    /// The threshold cannot be softened.
    #[error(
        "the threshold must be one comparison of numbers, such as `v > v_th`, for its surrogate: its gradient is a function of the \
         difference; write other conditions as `refractory`, or into the difference"
    )]
    Threshold,
    /// The integral of the surrogate is no elementary function.
    #[error("the integral of the surrogate `{0}` is not an elementary function; use another one for a network with soft spikes")]
    Integral(&'static str),
    /// The mean of a random count depends on what the gradient is requested for.
    #[error(
        "the mean of `{0}(…)` depends on the state of the neuron or on a trained value, and the gradient of a random count is not \
         defined; write a number with the same mean and variance, such as `m + sqrt(m)*randn()` for `poisson(m)`, or a mean that depends \
         on neither"
    )]
    Count(&'static str),
}
