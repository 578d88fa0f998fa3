// Writes packages/viewer/src/luts/glasbey-table.ts: 255 colors that are easy to distinguish, for label images. As in Glasbey et
// al., "Colour displays for categorical images" (2007), each color is the candidate with the largest distance, in
// CIELAB (D65), to the nearest color before it. The first one is black, the background.
import { writeFileSync } from 'node:fs';

const STEP = 5;
/** Range of lightness: darker labels would look like background, and lighter ones like each other. */
const [DARKEST, LIGHTEST] = [28, 92];

/** @param {number} byte */
const linear = (byte) => (byte <= 10.31475 ? byte / 3294.6 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
/** @param {number} part */
const curve = (part) => (part > 216 / 24_389 ? Math.cbrt(part) : (part * (24_389 / 27) + 16) / 116);

/** @param {readonly number[]} color */
function toLab([red = 0, green = 0, blue = 0]) {
  const [r, g, b] = [linear(red), linear(green), linear(blue)];
  const x = curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = curve(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = curve((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const candidates = [];
for (let red = 0; red <= 255; red += STEP) {
  for (let green = 0; green <= 255; green += STEP) {
    for (let blue = 0; blue <= 255; blue += STEP) {
      const [lightness = 0, a = 0, b = 0] = toLab([red, green, blue]);
      if (lightness >= DARKEST && lightness <= LIGHTEST) {
        candidates.push({ color: [red, green, blue], lightness, a, b, distance: Infinity });
      }
    }
  }
}

const table = [[0, 0, 0]];
while (table.length < 256) {
  const [lightness = 0, a = 0, b = 0] = toLab(table.at(-1) ?? []);
  let best = candidates[0];
  for (const candidate of candidates) {
    const squared = (candidate.lightness - lightness) ** 2 + (candidate.a - a) ** 2 + (candidate.b - b) ** 2;
    if (squared < candidate.distance) candidate.distance = squared;
    if (best === undefined || candidate.distance > best.distance) best = candidate;
  }
  if (best) table.push(best.color);
}

const base64 = Buffer.from(table.flat()).toString('base64');
const target = new URL('../packages/viewer/src/luts/glasbey-table.ts', import.meta.url);
writeFileSync(
  target,
  `/** Written by scripts/make-glasbey.mjs. 256 colors of red, green, blue as bytes, in base64. */\nexport const GLASBEY =\n  '${base64}';\n`,
);
