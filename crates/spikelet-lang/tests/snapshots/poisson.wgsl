// take

// reset

// hold

// update
let c0 = random_uniform(0u);
let c1 = constant(0u);
let c2 = c0 < c1;
let fires = c2;
