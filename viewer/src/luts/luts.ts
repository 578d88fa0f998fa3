import { fire, hot, ramp } from './formulas.ts';
import { MATPLOTLIB_TABLES } from './matplotlib-tables.ts';

type Table = Uint8Array<ArrayBuffer>;

interface Lut {
  readonly id: string;
  readonly label: string;
}

const DEFINITIONS: readonly (Lut & { readonly create: () => Table })[] = [
  { id: 'grey', label: 'Gray', create: () => ramp(1, 1, 1) },
  { id: 'red', label: 'Red', create: () => ramp(1, 0, 0) },
  { id: 'green', label: 'Green', create: () => ramp(0, 1, 0) },
  { id: 'blue', label: 'Blue', create: () => ramp(0, 0, 1) },
  { id: 'cyan', label: 'Cyan', create: () => ramp(0, 1, 1) },
  { id: 'magenta', label: 'Magenta', create: () => ramp(1, 0, 1) },
  { id: 'yellow', label: 'Yellow', create: () => ramp(1, 1, 0) },
  { id: 'viridis', label: 'Viridis', create: () => decode(MATPLOTLIB_TABLES.viridis) },
  { id: 'magma', label: 'Magma', create: () => decode(MATPLOTLIB_TABLES.magma) },
  { id: 'inferno', label: 'Inferno', create: () => decode(MATPLOTLIB_TABLES.inferno) },
  { id: 'plasma', label: 'Plasma', create: () => decode(MATPLOTLIB_TABLES.plasma) },
  { id: 'cividis', label: 'Cividis', create: () => decode(MATPLOTLIB_TABLES.cividis) },
  { id: 'turbo', label: 'Turbo', create: () => decode(MATPLOTLIB_TABLES.turbo) },
  { id: 'fire', label: 'Fire', create: fire },
  { id: 'hot', label: 'Hot', create: hot },
];

/** All color tables, in the order of the menu. */
export const LUTS: readonly Lut[] = DEFINITIONS.map(({ id, label }) => ({ id, label }));

const tables = new Map<string, Table>();

/**
 * Returns 256 colors of red, green, blue: `table[3 * i]` is the red byte of index i. `invert` reverses their order. An
 * unknown id gives the gray table. The tables are shared: do not modify them.
 */
export function lutTable(id: string, invert = false): Uint8Array<ArrayBuffer> {
  const key = invert ? `${id} inverted` : id;
  let table = tables.get(key);
  if (!table) {
    const match = DEFINITIONS.find((definition) => definition.id === id);
    if (!match && id !== 'grey') return lutTable('grey', invert);
    table = invert ? invertTable(lutTable(id)) : (match?.create() ?? ramp(1, 1, 1));
    tables.set(key, table);
  }
  return table;
}

function invertTable(table: Table): Table {
  const result = new Uint8Array(table.length);
  for (let i = 0; i < 256; i++) result.set(table.subarray(3 * i, 3 * i + 3), 3 * (255 - i));
  return result;
}

function decode(base64: string): Table {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
