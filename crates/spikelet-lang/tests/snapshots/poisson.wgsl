// take

// reset

// hold

// update
let d0 = uniform32(random_bits(0u));
let d1 = constant(0u);
let d2 = d0 < d1;
let fires = d2;
