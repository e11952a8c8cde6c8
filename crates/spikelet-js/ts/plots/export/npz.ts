// NumPy archives: a zip of `.npy` files, stored without compression. Formats: numpy.lib.format 1.0; APPNOTE 6.3.3 of PKWARE.

/** An array of an archive: numbers, or texts. */
export interface NamedArray {
  readonly name: string;
  readonly values: Float64Array | Float32Array | Uint32Array | Int32Array | Uint16Array | readonly string[];
  /** The shape; absent for one dimension. `[]` is a single value. */
  readonly shape?: readonly number[];
}

/** Rows of a table, with the names of the columns in the first row, as one array per column. */
export function columnsOf(rows: Iterable<readonly (string | number)[]>): NamedArray[] {
  const [names = [], ...body] = rows;
  return names.map((name, column): NamedArray => {
    const cells = body.map((row) => row[column]!);
    const values = cells.every((cell) => typeof cell === "number") ? Float64Array.from(cells) : cells.map(String);
    return { name: String(name), values };
  });
}

/** The content of a `.npz` file. */
export function npz(arrays: readonly NamedArray[]): Uint8Array<ArrayBuffer> {
  return zip(arrays.map((array) => [`${array.name}.npy`, npy(array)]));
}

/** The content of a `.npy` file of format 1.0, in little-endian order. */
function npy({ values, shape = [values.length] }: NamedArray): Uint8Array {
  const [type, data] = values instanceof Array ? texts(values) : [TYPES[values.constructor.name]!, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)];
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const text = `{'descr': '${type}', 'fortran_order': False, 'shape': ${tuple}, }`;
  // The data start at a multiple of 64 bytes.
  const head = `${text.padEnd(Math.ceil((10 + text.length + 1) / 64) * 64 - 11)}\n`;
  const file = new Uint8Array(10 + head.length + data.length);
  file.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, head.length & 0xff, head.length >> 8]);
  file.set(new TextEncoder().encode(head), 10);
  file.set(data, 10 + head.length);
  return file;
}

/** Typed arrays have the byte order of the machine, which is little-endian wherever WebAssembly runs. */
const TYPES: Readonly<Record<string, string>> = { Float64Array: "<f8", Float32Array: "<f4", Uint32Array: "<u4", Int32Array: "<i4", Uint16Array: "<u2" };

/** Texts of equal length in UTF-32, as NumPy stores them. */
function texts(values: readonly string[]): [string, Uint8Array] {
  const points = values.map((text) => Array.from(text, (letter) => letter.codePointAt(0)!));
  const length = Math.max(1, ...new Set(points.map((one) => one.length)));
  const data = new Uint32Array(length * values.length);
  points.forEach((one, row) => data.set(one, row * length));
  return [`<U${length}`, new Uint8Array(data.buffer)];
}

/** A zip archive of files without compression. Its length must be below 4 GiB, which no typed array of the page exceeds. */
function zip(files: readonly (readonly [string, Uint8Array])[]): Uint8Array<ArrayBuffer> {
  const entries = files.map(([name, content]) => ({ name: new TextEncoder().encode(name), content, check: crc32(content) }));
  const local = entries.reduce((sum, { name, content }) => sum + 30 + name.length + content.length, 0);
  const directory = entries.reduce((sum, { name }) => sum + 46 + name.length, 0);
  const archive = new Uint8Array(local + directory + 22);
  const view = new DataView(archive.buffer);
  let at = 0;
  const put16 = (...values: number[]) => values.forEach((value) => (view.setUint16(at, value, true), (at += 2)));
  const put32 = (...values: number[]) => values.forEach((value) => (view.setUint32(at, value, true), (at += 4)));
  const put = (bytes: Uint8Array) => (archive.set(bytes, at), (at += bytes.length));
  // Version 2.0, names in UTF-8, stored, 1980-01-01: an archive depends on its content alone.
  const common = (name: Uint8Array, content: Uint8Array, check: number) => {
    put16(20, 0x0800, 0, 0, 0x21);
    put32(check, content.length, content.length);
    put16(name.length, 0);
  };
  const offsets = entries.map(({ name, content, check }) => {
    const offset = at;
    put32(0x04034b50);
    common(name, content, check);
    put(name);
    put(content);
    return offset;
  });
  entries.forEach(({ name, content, check }, place) => {
    put32(0x02014b50);
    put16(20);
    common(name, content, check);
    put16(0, 0, 0);
    put32(0, offsets[place]!);
    put(name);
  });
  put32(0x06054b50);
  put16(0, 0, entries.length, entries.length);
  put32(directory, local);
  put16(0);
  return archive;
}

let table: Uint32Array | undefined;

/** The checksum of zip archives. */
function crc32(bytes: Uint8Array): number {
  table ??= Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  let check = ~0;
  for (let at = 0; at < bytes.length; at += 1) check = (check >>> 8) ^ table[(check ^ bytes[at]!) & 0xff]!;
  return ~check >>> 0;
}
