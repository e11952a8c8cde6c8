// The values of parameters, which sliders and Python set.

/** Time in which changes of a slider become one message, in ms. */
const EVERY_MS = 120;

export class Values {
  #model;
  #tell;
  #problem;
  #simulation = null;
  /** The values that both sides know, by path. */
  #known = {};
  #timer = null;

  /**
   * @param tell Sets traits in Python.
   * @param problem Called with an error, or with null when a value was accepted.
   */
  constructor(model, tell, problem) {
    this.#model = model;
    this.#tell = tell;
    this.#problem = problem;
  }

  /** A network was built: it gets the values of Python, and Python those of the sliders. */
  async open(simulation) {
    this.#simulation = simulation;
    this.#known = {};
    const shown = this.#model.get("parameters");
    const { populations, projections } = simulation.info.network;
    for (const { path, value } of [...populations, ...projections].flatMap((one) => one.parameters)) {
      if (shown.includes(path) && Number.isFinite(value)) this.#known[path] = value;
    }
    simulation.on("changed", ({ path, value, scheduled }) => {
      if (simulation !== this.#simulation || (scheduled && !(path in this.#known))) return;
      this.#known[path] = value;
      this.#timer ??= setTimeout(() => this.#publish(), EVERY_MS);
    });
    await this.adopt();
    this.#publish();
  }

  /** Sets what Python has changed. */
  async adopt() {
    const simulation = this.#simulation;
    if (simulation === null) return;
    for (const [path, value] of Object.entries(this.#model.get("values"))) {
      if (Object.is(value, this.#known[path])) continue;
      try {
        const { values } = await simulation.set(path, value);
        if (values.length === 1) this.#known[path] = values[0];
        this.#problem(null);
      } catch (error) {
        if (error.code !== "disposed") this.#problem(error);
      }
      this.#timer ??= setTimeout(() => this.#publish(), EVERY_MS);
    }
  }

  end() {
    clearTimeout(this.#timer);
    this.#simulation = null;
  }

  #publish() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#simulation === null) return;
    this.#tell({ values: { ...this.#known } });
  }
}
