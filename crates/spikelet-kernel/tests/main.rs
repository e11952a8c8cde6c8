//! From texts to what their code computes: that nothing typed breaks it, gradients, and what one f32 would lose.

mod any_text;
mod gradient;
mod remainders;
mod two_words;
