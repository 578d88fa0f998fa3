import { colorRamp, fire, hot, ramp } from './formulas.ts';
import { GLASBEY } from './glasbey-table.ts';
import { MATPLOTLIB_TABLES } from './matplotlib-tables.ts';

type Table = Uint8Array<ArrayBuffer>;

/** Id of the table of labels. */
const LABELS = 'glasbey';

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
  { id: 'viridis', label: 'Viridis', create: () => fromSteps(MATPLOTLIB_TABLES.viridis) },
  { id: 'magma', label: 'Magma', create: () => fromSteps(MATPLOTLIB_TABLES.magma) },
  { id: 'inferno', label: 'Inferno', create: () => fromSteps(MATPLOTLIB_TABLES.inferno) },
  { id: 'plasma', label: 'Plasma', create: () => fromSteps(MATPLOTLIB_TABLES.plasma) },
  { id: 'cividis', label: 'Cividis', create: () => fromSteps(MATPLOTLIB_TABLES.cividis) },
  { id: 'turbo', label: 'Turbo', create: () => fromSteps(MATPLOTLIB_TABLES.turbo) },
  { id: 'fire', label: 'Fire', create: fire },
  { id: 'hot', label: 'Hot', create: hot },
  { id: LABELS, label: 'Glasbey (labels)', create: () => decode(GLASBEY) },
];

/** All color tables, in the order of the menu. */
export const LUTS: readonly Lut[] = DEFINITIONS.map(({ id, label }) => ({ id, label }));

/** The id of a ramp from black to one color is that color. */
const COLOR_ID = /^#[0-9A-F]{6}$/;

/** The id of a table from a file is the table: `~` and its 768 bytes in base64url. Links therefore carry it. */
const TABLE_ID = /^~[\w-]{1024}$/;

export function isTableLut(id: string): boolean {
  return TABLE_ID.test(id);
}

/** Returns the id of a table of 256 colors. */
export function tableLut(table: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...table));
  return `~${base64.replaceAll('+', '-').replaceAll('/', '_')}`;
}

/** True for the id of a table in the menu, for `#RRGGBB`, and for the id of a table from a file. */
export function isLut(id: string): boolean {
  return COLOR_ID.test(id) || isTableLut(id) || DEFINITIONS.some((definition) => definition.id === id);
}

/** True for a table that gives each whole number its own color, whatever the range: see `labelIndex`. */
export function isLabelLut(id: string): boolean {
  return id === LABELS;
}

/** Returns the id of the ramp from black to a color `#RRGGBB`: the table in the menu that is equal, or the color itself. */
export function colorLut(color: string): string {
  const id = color.toUpperCase();
  // Black hides a channel.
  if (!COLOR_ID.test(id) || id === '#000000') return 'grey';
  return PURE_COLORS[id] ?? id;
}

const PURE_COLORS: Readonly<Record<string, string>> = {
  '#FFFFFF': 'grey',
  '#FF0000': 'red',
  '#00FF00': 'green',
  '#0000FF': 'blue',
  '#00FFFF': 'cyan',
  '#FF00FF': 'magenta',
  '#FFFF00': 'yellow',
};

const tables = new Map<string, Table>();
/** Max number of tables that are kept. */
const MAX_TABLES = 256;

/**
 * Returns 256 colors of red, green, blue: `table[3 * i]` is the red byte of index i. `invert` reverses their order. An
 * unknown id gives the gray table. The tables are shared: do not modify them.
 */
export function lutTable(id: string, invert = false): Uint8Array<ArrayBuffer> {
  const key = invert ? `${id} inverted` : id;
  let table = tables.get(key);
  if (!table) {
    if (tables.size >= MAX_TABLES) tables.clear();
    table = invert ? invertTable(lutTable(id)) : createTable(id);
    tables.set(key, table);
  }
  return table;
}

function createTable(id: string): Table {
  if (COLOR_ID.test(id)) return colorRamp(id);
  if (isTableLut(id)) return decode(id.slice(1).replaceAll('-', '+').replaceAll('_', '/'));
  return DEFINITIONS.find((definition) => definition.id === id)?.create() ?? ramp(1, 1, 1);
}

function invertTable(table: Table): Table {
  const result = new Uint8Array(table.length);
  for (let i = 0; i < 256; i++) result.set(table.subarray(3 * i, 3 * i + 3), 3 * (255 - i));
  return result;
}

/** Reads a table of first values and steps; see `MATPLOTLIB_TABLES`. */
function fromSteps(text: string): Table {
  const table = new Uint8Array(768);
  for (let channel = 0; channel < 3; channel++) {
    const start = channel * 257;
    let value = Number.parseInt(text.slice(start, start + 2), 16);
    for (let i = 0; i < 256; i++) {
      if (i > 0) value += text.charCodeAt(start + 1 + i) - 78;
      table[3 * i + channel] = value;
    }
  }
  return table;
}

function decode(base64: string): Table {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
