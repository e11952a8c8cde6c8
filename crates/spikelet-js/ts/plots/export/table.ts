// A picture of a plot that is a table instead of a canvas.

import { Surface } from "../surface.js";
import type { Theme } from "../theme.js";

/** Space between columns, in CSS pixels. */
const GAP = 16;
/** Height of a row, in sizes of the font. */
const ROW = 2.2;

/** A table on a surface of its size. */
export interface TablePicture {
  readonly surface: Surface;
  draw(): void;
}

/** Lays out a table, given as texts by rows. The first row has the names of the columns, the first column those of the rows. */
export function tablePicture(table: readonly (readonly string[])[], theme: Theme): TablePicture {
  const surface = new Surface(theme);
  const { css, size } = theme.font;
  const bold = `600 ${css}`;
  surface.pen.font = bold;
  const widths = table[0]!.map((_, column) => GAP + Math.max(...table.map((texts) => surface.pen.measureText(texts[column]!).width)));
  const height = Math.round(ROW * size);
  surface.width = Math.ceil(widths.reduce((sum, width) => sum + width, -GAP));
  surface.height = table.length * height;
  const draw = (): void => {
    surface.begin();
    const { pen } = surface;
    pen.textBaseline = "middle";
    table.forEach((texts, row) => {
      let right = -GAP;
      texts.forEach((text, column) => {
        right += widths[column]!;
        const isName = column === 0;
        pen.font = isName && row > 0 ? bold : css;
        pen.fillStyle = theme.colour(row > 0 ? "ink" : "muted").css;
        pen.textAlign = isName ? "left" : "right";
        pen.fillText(text, isName ? 0 : right, (row + 0.5) * height);
      });
      pen.fillStyle = theme.colour("line").css;
      pen.fillRect(0, (row + 1) * height - 1, surface.width, 1);
    });
  };
  return { surface, draw };
}
