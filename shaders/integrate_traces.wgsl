// A step of the clock-driven equations of the traces of a projection: one invocation for each presynaptic neuron.

fn work(id: u32, ids: u32) {
    enter_projection(job.at);
    for (var neuron = id; neuron < pre_size; neuron += ids) {
        pre = neuron;
        run();
    }
}
