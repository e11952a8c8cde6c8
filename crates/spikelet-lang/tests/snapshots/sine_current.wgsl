// take

// reset

// hold

// update
let fires = false;
