/** Descriptions of a JPEG 2000 ND2: XML whose names differ from the later ones in their type letters. Pure. */

import { decodeText } from '../../io/text.js';
import { allElements, parseXml } from '../../io/xml.js';
import { parseDateTime } from '../../metadata/dates.js';
import type { Loop, LoopAxis } from './loops.js';
import { positive, type RawPicture } from './parse.js';
import { Level, unwrap } from './variant.js';
import { parseVariantXml } from './variant-xml.js';

/** Picture metadata of a frame (`VIMD`). */
export function parseLegacyPicture(bytes: Uint8Array): RawPicture {
  const tree = unwrap(withoutPrefixes(parseVariantXml(bytes)), '');
  const planes = tree.level('PicturePlanes', 'Plane')?.levels() ?? [];
  return {
    calibration: tree.number('Calibrated') === 0 ? undefined : positive(tree.number('Calibration')),
    aspect: positive(tree.number('Aspect')),
    timeAbsolute: positive(tree.number('TimeAbsolute')),
    xAxis: undefined,
    yAxis: undefined,
    timeAxis: undefined,
    zAxis: undefined,
    planes: planes.map((plane) => ({
      name: plane.text('OpticalConfigName') || plane.text('Description') || '',
      components: plane.number('CompCount') ?? 1,
      color: plane.number('Color'),
      modality: plane.number('ModalityMask'),
    })),
  };
}

/** ms at which a frame was taken, without parsing the whole document. */
export function legacyTime(bytes: Uint8Array): number | undefined {
  const value = /TimeMSec\b[^>]{0,200}?\bvalue="([^"]{0,64})"/.exec(decodeText(bytes))?.[1];
  return value === undefined || value.trim() === '' ? undefined : Number(value);
}

/** Types are written as lower-case letters in front of the names. */
function withoutPrefixes(level: Level): Level {
  const out = new Level();
  for (const { name, value } of level.entries) {
    const bare = name.replace(/^[a-z_]+/, '') || name;
    out.entries.push({ name: bare, value: value instanceof Level ? withoutPrefixes(value) : value });
  }
  return out;
}

export interface LegacyText {
  /** Loops by the description, outermost first. */
  loops: Loop[];
  /** Text of the date, when there is one. */
  dateText: string | undefined;
}

/** Characters of a description that are looked at. */
const MOST_TEXT = 65_536;
const AXES: Record<string, LoopAxis> = { T: 'T', XY: 'S', Z: 'Z' };

/** Text items (`TINF`): `Dimensions: T(5) x XY(4) x Z(3)`, and `Z Stack Loop: 5 - Step 0,5 µm`. */
export function parseLegacyText(bytes: Uint8Array): LegacyText {
  const texts = [...allElements(parseXml(decodeText(bytes)).root)].flatMap(({ attributes, text }) => [
    ...Object.values(attributes),
    text,
  ]);
  const description = texts.find((text) => /\bDimensions:/.test(text))?.slice(0, MOST_TEXT) ?? '';
  const line = /\bDimensions:\s?([^\r\n]{0,200})/.exec(description)?.[1] ?? '';
  const step = /Z Stack Loop:\s*\d+\s*-\s*Step\s+(\d+(?:[.,]\d+)?)/.exec(description)?.[1];
  const loops: Loop[] = [];
  for (const [, letter, count] of line.matchAll(/([\p{L}]+)'?\((\d{1,9})\)/gu)) {
    const axis = AXES[letter as string];
    if (!axis || Number(count) < 2) continue;
    const depth = axis === 'Z' && step !== undefined ? { step: positive(Number(step.replace(',', '.'))) } : {};
    loops.push({ axis, type: 0, count: Number(count), ...depth });
  }
  return { loops, dateText: texts.find((text) => text.length < 64 && parseDateTime(text) !== undefined) };
}
