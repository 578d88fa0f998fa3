import { fire, hot, ramp } from './formulas.ts';
import { MATPLOTLIB_TABLES } from './matplotlib-tables.ts';

type Table = Uint8Array<ArrayBuffer>;

interface Lut {
  readonly id: string;
  readonly label: string;
}

const DEFINITIONS: readonly (Lut & { readonly make: () => Table })[] = [
  { id: 'grey', label: 'Gray', make: () => ramp(1, 1, 1) },
  { id: 'red', label: 'Red', make: () => ramp(1, 0, 0) },
  { id: 'green', label: 'Green', make: () => ramp(0, 1, 0) },
  { id: 'blue', label: 'Blue', make: () => ramp(0, 0, 1) },
  { id: 'cyan', label: 'Cyan', make: () => ramp(0, 1, 1) },
  { id: 'magenta', label: 'Magenta', make: () => ramp(1, 0, 1) },
  { id: 'yellow', label: 'Yellow', make: () => ramp(1, 1, 0) },
  { id: 'viridis', label: 'Viridis', make: () => decode(MATPLOTLIB_TABLES.viridis) },
  { id: 'magma', label: 'Magma', make: () => decode(MATPLOTLIB_TABLES.magma) },
  { id: 'inferno', label: 'Inferno', make: () => decode(MATPLOTLIB_TABLES.inferno) },
  { id: 'plasma', label: 'Plasma', make: () => decode(MATPLOTLIB_TABLES.plasma) },
  { id: 'cividis', label: 'Cividis', make: () => decode(MATPLOTLIB_TABLES.cividis) },
  { id: 'turbo', label: 'Turbo', make: () => decode(MATPLOTLIB_TABLES.turbo) },
  { id: 'fire', label: 'Fire', make: fire },
  { id: 'hot', label: 'Hot', make: hot },
];

/** All look-up tables in the order of a menu. */
export const LUTS: readonly Lut[] = DEFINITIONS.map(({ id, label }) => ({ id, label }));

const made = new Map<string, Table>();

/**
 * 256 colors of red, green, blue: `table[3 * i]` is the red byte of index i. Inverted: the colors in opposite order.
 * An unknown id gives the gray table. The tables are shared: do not write to them.
 */
export function lutTable(id: string, invert = false): Uint8Array<ArrayBuffer> {
  const key = invert ? `${id} inverted` : id;
  let table = made.get(key);
  if (!table) {
    const definition = DEFINITIONS.find((one) => one.id === id);
    if (!definition && id !== 'grey') return lutTable('grey', invert);
    table = invert ? inverted(lutTable(id)) : (definition?.make() ?? ramp(1, 1, 1));
    made.set(key, table);
  }
  return table;
}

function inverted(table: Table): Table {
  const result = new Uint8Array(table.length);
  for (let i = 0; i < 256; i++) result.set(table.subarray(3 * i, 3 * i + 3), 3 * (255 - i));
  return result;
}

function decode(base64: string): Table {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
