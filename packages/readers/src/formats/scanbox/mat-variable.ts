/** Values of MATLAB files, of whichever version. Arrays are column by column. Pure. */

export type MatVariable = MatlabNumbers | MatlabText | MatlabStruct | MatlabCell | { kind: 'other'; dims: number[] };

export interface MatlabNumbers {
  kind: 'numbers';
  dims: number[];
  count: number;
  at(index: number): number;
}

export interface MatlabText {
  kind: 'text';
  dims: number[];
  /** Without the blanks that make the rows of an array equally long. */
  rows: string[];
}

export interface MatlabStruct {
  kind: 'struct';
  dims: number[];
  /** Values of a field, one for each struct of the array. */
  fields: ReadonlyMap<string, readonly MatVariable[]>;
}

export interface MatlabCell {
  kind: 'cell';
  dims: number[];
  cells: MatVariable[];
}

/** Limits of one file: a struct is nested, and has elements, as few as Scanbox needs. */
export const MATLAB_LIMITS = { depth: 8, values: 10_000, bytes: 16 * 2 ** 20 } as const;

export const EMPTY: MatVariable = { kind: 'numbers', dims: [0, 0], count: 0, at: () => Number.NaN };

/** Returns a field of a struct, or of the struct in a field: `config`, `knobby`, `pos`. */
export function fieldOf(value: MatVariable | undefined, ...path: string[]): MatVariable | undefined {
  let at = value;
  for (const name of path) at = at?.kind === 'struct' ? at.fields.get(name)?.[0] : undefined;
  return at;
}

/** Returns an element of an array of structs, or of cells, as a struct of one. */
export function elementOf(value: MatVariable | undefined, index: number): MatVariable | undefined {
  if (value?.kind === 'cell') return value.cells[index];
  if (value?.kind !== 'struct') return undefined;
  const fields = new Map<string, MatVariable[]>();
  for (const [name, values] of value.fields) if (values[index]) fields.set(name, [values[index]]);
  return fields.size === 0 ? undefined : { kind: 'struct', dims: [1, 1], fields };
}

/** Returns all numbers of a value; none of a text or a struct. */
export function numbersOf(value: MatVariable | undefined): number[] {
  return value?.kind === 'numbers' ? Array.from({ length: Math.min(value.count, 100_000) }, (_, i) => value.at(i)) : [];
}

/** Returns the first number, if it is finite. */
export function numberOf(value: MatVariable | undefined): number | undefined {
  const number = value?.kind === 'numbers' && value.count > 0 ? value.at(0) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** Returns the rows of a text, or the texts of cells; empty for those that are none. */
export function textsOf(value: MatVariable | undefined): string[] {
  if (value?.kind === 'text') return value.rows;
  return value?.kind === 'cell' ? value.cells.map((cell) => textsOf(cell)[0] ?? '') : [];
}

/** Returns a text by the characters of an array, which has them column by column. */
export function toText(dims: number[], characters: readonly string[]): MatlabText {
  const [rows = 0] = dims;
  const columns = rows === 0 ? 0 : Math.floor(characters.length / rows);
  const row = (r: number) =>
    Array.from({ length: columns }, (_, c) => characters[c * rows + r])
      .join('')
      .trimEnd();
  return { kind: 'text', dims, rows: Array.from({ length: columns === 0 ? 0 : rows }, (_, r) => row(r)) };
}
