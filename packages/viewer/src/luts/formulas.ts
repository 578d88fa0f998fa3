/** Returns a table from black to one full color; `red`, `green` and `blue` are 0 or 1. */
export function ramp(red: 0 | 1, green: 0 | 1, blue: 0 | 1): Uint8Array<ArrayBuffer> {
  return fromIndex((i) => [red * i, green * i, blue * i]);
}

/** Returns a table from black to a color `#RRGGBB`, with each component rounded. */
export function colorRamp(color: string): Uint8Array<ArrayBuffer> {
  const full = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return fromIndex((i) => full.map((component) => Math.round((i * component) / 255)));
}

/** Returns the table `hot` of MATLAB and matplotlib: red reaches its maximum at 0.365079, green at 0.746032. */
export function hot(): Uint8Array<ArrayBuffer> {
  const rise = (x: number, from: number, to: number) => Math.min(1, Math.max(0, (x - from) / (to - from)));
  return fromIndex((i) => {
    const x = i / 255;
    const red = 0.0416 + (1 - 0.0416) * rise(x, 0, 0.365079);
    return [255 * red, 255 * rise(x, 0.365079, 0.746032), 255 * rise(x, 0.746032, 1)].map(Math.round);
  });
}

/** The 32 colors of ImageJ's "Fire" (public domain), from black through violet, red and yellow to white. */
const FIRE = [
  [0, 0, 1, 25, 49, 73, 98, 122, 146, 162, 173, 184, 195, 207, 217, 229, 240, 252, ...Array<number>(14).fill(255)],
  [
    ...Array<number>(13).fill(0),
    ...[14, 35, 57, 79, 101, 117, 133, 147, 161, 175, 190, 205, 219, 234, 248, 255, 255, 255, 255],
  ],
  [
    ...[0, 61, 96, 130, 165, 192, 220, 227, 210, 181, 151, 122, 93, 64, 35, 5],
    ...Array<number>(11).fill(0),
    ...[35, 98, 160, 223, 255],
  ],
] as const;

/** Interpolates as ImageJ does: eight steps from each of 32 colors to the next, rounded down. */
export function fire(): Uint8Array<ArrayBuffer> {
  return fromIndex((i) => {
    const at = i >> 3;
    const part = (i & 7) / 8;
    return FIRE.map((color) => Math.trunc((1 - part) * color[at]! + part * color[Math.min(31, at + 1)]!));
  });
}

function fromIndex(color: (index: number) => readonly number[]): Uint8Array<ArrayBuffer> {
  const table = new Uint8Array(768);
  for (let i = 0; i < 256; i++) table.set(color(i), 3 * i);
  return table;
}
