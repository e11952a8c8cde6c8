// A heat map: the result of two parameters.

import { quantity, short } from "../plots/numbers.js";
import { drawLack } from "../plots/scale.js";
import type { Area } from "../plots/surface.js";
import { Chart } from "./chart.js";
import { colourOf } from "./colours.js";
import type { Axis } from "./grid.js";

/** A cell of a heat map. */
export interface HeatCell {
  /** NaN without a value. */
  readonly value: number;
  readonly sd: number;
  /** Why there is no value. */
  readonly note: string;
}

/** What a heat map shows. */
export interface HeatContent {
  readonly title: string;
  readonly about: string;
  /** The name and unit of the values. */
  readonly name: string;
  readonly unit: string;
  /** The first one is vertical, from below. */
  readonly axes: readonly [Axis, Axis];
  /** In the order of the grid; null where nothing is computed yet. */
  readonly cells: readonly (HeatCell | null)[];
}

/** The chart. */
export class Heat extends Chart {
  #content: HeatContent | null = null;

  /** Shows results. */
  show(content: HeatContent): void {
    const isOther = this.#content?.cells.length !== content.cells.length;
    this.#content = content;
    this.isEmpty = false;
    if (isOther) this.forget();
    const known = this.#known;
    const range = known.length === 0 ? "no value yet" : `${known.length} values from ${quantity(Math.min(...known), content.unit)} to ${quantity(Math.max(...known), content.unit)}`;
    this.caption(content.title, content.about, `Heat map, ${content.title}: ${range}; arrow keys read single cells, Enter opens one`);
    this.draw();
  }

  get #known(): number[] {
    return (this.#content?.cells ?? []).flatMap((cell) => (cell && Number.isFinite(cell.value) ? [cell.value] : []));
  }

  /** The area of the cells: beside them is the scale, around them the names of the axes. */
  #field(whole: Area): Area {
    const { size } = this.surface.theme.font;
    const left = whole.left + size;
    return { left, top: whole.top + size * 1.7, width: Math.max(20, whole.left + whole.width - left - size * 6.5), height: whole.height - size * 3.2 };
  }

  protected override drawn(whole: Area): void {
    const content = this.#content;
    if (!content) return;
    const { surface } = this;
    const { pen, theme } = surface;
    const { size } = theme.font;
    const area = this.#field(whole);
    const [up, right] = content.axes;
    const known = this.#known;
    const [low, high] = known.length === 0 ? [0, 1] : [Math.min(...known), Math.max(...known)];
    const [rows, columns] = [up.numbers.length, right.numbers.length];
    const box = (cell: number) => {
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      const [x0, x1] = [area.left + (column / columns) * area.width, area.left + ((column + 1) / columns) * area.width];
      const [y0, y1] = [area.top + (1 - (row + 1) / rows) * area.height, area.top + (1 - row / rows) * area.height];
      return [x0, y0, x1 - x0, y1 - y0] as const;
    };
    content.cells.forEach((cell, place) => {
      const [x, y, width, height] = box(place);
      if (cell === null) return;
      const isKnown = Number.isFinite(cell.value);
      pen.fillStyle = isKnown ? colourOf(high > low ? (cell.value - low) / (high - low) : 0.5) : theme.colour("line").css;
      pen.fillRect(x, y, width + 0.4, height + 0.4);
      if (isKnown) return;
      pen.fillStyle = theme.colour("muted").css;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      pen.fillText(cell.note === "" ? "—" : "!", x + width / 2, y + height / 2);
    });
    pen.strokeStyle = theme.colour("muted").css;
    pen.lineWidth = 1;
    pen.strokeRect(area.left, area.top, area.width, area.height);
    pen.fillStyle = theme.colour("muted").css;
    this.#drawAxes(whole, area, up, right);
    if (known.length === 0) drawLack(surface, area, "no value yet");
    else this.#drawScale({ ...area, left: area.left + area.width + size * 1.2, width: size }, low, high);
    if (this.marked === null || this.marked >= content.cells.length) return;
    pen.strokeStyle = theme.colour("background").css;
    pen.lineWidth = 4;
    pen.strokeRect(...box(this.marked));
    pen.strokeStyle = theme.colour("ink").css;
    pen.lineWidth = 2;
    pen.strokeRect(...box(this.marked));
  }

  #drawAxes(whole: Area, area: Area, up: Axis, right: Axis): void {
    const { pen, theme } = this.surface;
    const { size } = theme.font;
    const named = ({ path, unit }: Axis) => (unit === "" ? path : `${path} (${unit})`);
    pen.textBaseline = "alphabetic";
    pen.textAlign = "left";
    pen.fillText(named(up), 2, whole.top + size);
    pen.textAlign = "center";
    pen.fillText(named(right), area.left + area.width / 2, area.top + area.height + size * 2.8);
    // As many values as fit, always with the first.
    const across = Math.max(1, Math.ceil((right.numbers.length * size * 4.5) / area.width));
    right.numbers.forEach((value, column) => {
      if (column % across === 0) pen.fillText(short(value, 3), area.left + ((column + 0.5) / right.numbers.length) * area.width, area.top + area.height + size * 1.3);
    });
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const along = Math.max(1, Math.ceil((up.numbers.length * size * 1.5) / area.height));
    up.numbers.forEach((value, row) => {
      if (row % along === 0) pen.fillText(short(value, 3), area.left - 6, area.top + (1 - (row + 0.5) / up.numbers.length) * area.height);
    });
  }

  #drawScale(area: Area, low: number, high: number): void {
    const { pen, theme } = this.surface;
    const parts = 40;
    for (let part = 0; part < parts; part += 1) {
      pen.fillStyle = colourOf(high > low ? part / (parts - 1) : 0.5);
      pen.fillRect(area.left, area.top + area.height * (1 - (part + 1) / parts), area.width, area.height / parts + 0.4);
    }
    pen.fillStyle = theme.colour("muted").css;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (const part of high > low ? [0, 0.5, 1] : [0.5]) pen.fillText(short(low + part * (high - low), 3), area.left + area.width + 4, area.top + area.height * (1 - part));
    pen.textBaseline = "alphabetic";
    if (this.#content!.unit !== "") pen.fillText(this.#content!.unit, area.left, area.top - theme.font.size * 0.6);
  }

  protected override nearest(x: number, y: number, whole: Area): number | null {
    const content = this.#content;
    if (!content) return null;
    const { left, top, width, height } = this.#field(whole);
    const [rows, columns] = content.axes.map(({ numbers }) => numbers.length) as [number, number];
    const column = Math.floor(((x - left) / width) * columns);
    const row = Math.floor((1 - (y - top) / height) * rows);
    return column >= 0 && column < columns && row >= 0 && row < rows ? row * columns + column : null;
  }

  protected override moved(from: number | null, right: number, up: number): number | null {
    const content = this.#content;
    if (!content) return null;
    if (from === null) return 0;
    const [rows, columns] = content.axes.map(({ numbers }) => numbers.length) as [number, number];
    const row = Math.min(Math.max(Math.floor(from / columns) + up, 0), rows - 1);
    const column = Math.min(Math.max((from % columns) + right, 0), columns - 1);
    return row * columns + column;
  }

  protected override text(place: number): string {
    const { axes, cells, unit, name } = this.#content!;
    const [up, right] = axes;
    const columns = right.numbers.length;
    const [row, column] = [Math.floor(place / columns), place % columns];
    const cell = cells[place];
    const value = !cell ? "not computed yet" : cell.note !== "" ? cell.note : `${name} ${quantity(cell.value, unit, 4)}${cell.sd > 0 ? ` ± ${quantity(cell.sd, unit, 3)}` : ""}`;
    const at = ({ path, numbers, unit: of }: Axis, index: number) => `${path} = ${quantity(numbers[index]!, of, 4)}`;
    return `${at(up, row)}, ${at(right, column)}: ${value}`;
  }
}
