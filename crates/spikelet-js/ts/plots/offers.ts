// What can be added to a board.

import type { Info } from "../raw.js";
import { PLOTS } from "./registry.js";

/** A plot that a network can show, or the reason why it cannot. */
export interface Offer {
  /** The word for `choose`. */
  readonly word: string;
  readonly text: string;
  /** The unit of a variable; empty for a pure number. */
  readonly unit: string;
  readonly lack: string | null;
}

/** All kinds of plots. */
export function kindOffers(info: Info): Offer[] {
  return PLOTS.map((kind) => ({ word: kind.name, text: kind.title, unit: "", lack: kind.lacking(info) }));
}

/** The variables that can be traced: of a population or a projection, or of all that have it. */
export function variableOffers({ network }: Info): Offer[] {
  const all = [...network.populations, ...network.projections].flatMap(({ name, variables }) => variables.map(({ symbol, unit }) => ({ name, symbol, unit })));
  const symbols = [...new Set(all.map(({ symbol }) => symbol))];
  return symbols.flatMap((symbol) => {
    const owners = all.filter((one) => one.symbol === symbol);
    const described = owners.map(({ name, unit }): Offer => ({
      word: `${name}.${symbol}`, text: `${symbol} of ${name}`, unit, lack: null,
    }));
    const together: Offer = { word: symbol, text: `${symbol} of ${owners.map(({ name }) => name).join(", ")}`, unit: owners[0]!.unit, lack: null };
    return owners.length > 1 && owners.length <= 4 ? [together, ...described] : described;
  });
}
