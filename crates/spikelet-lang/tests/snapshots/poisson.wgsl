// take

// reset

// hold

// update
let c0 = uniform32(random_bits(0u));
let c1 = constant(0u);
let c2 = c0 < c1;
let fires = c2;
