// take

// reset

// update
let fires = false;
