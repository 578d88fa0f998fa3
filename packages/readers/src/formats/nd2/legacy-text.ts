/** Parses the metadata of a JPEG 2000 ND2 file: XML whose names differ from later ones in their type letters. Pure. */

import { decodeText } from '../../io/text.js';
import { allElements, parseXml } from '../../io/xml.js';
import { parseDateTime } from '../../model/metadata/dates.js';
import type { Loop, LoopKind } from './loops.js';
import type { RawPicture } from './parse.js';
import { positive, unwrap, VariantLevel } from './variant.js';
import { parseVariantXml } from './variant-xml.js';

/** Parses the picture metadata of a frame (`VIMD`). */
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

/** Returns the ms at which a frame was taken, without parsing the whole document. */
export function legacyTime(bytes: Uint8Array): number | undefined {
  const value = /TimeMSec\b[^>]{0,200}?\bvalue="([^"]{0,64})"/.exec(decodeText(bytes))?.[1];
  return value === undefined || value.trim() === '' ? undefined : Number(value);
}

/** Removes the lower-case type letters before the names. */
function withoutPrefixes(level: VariantLevel): VariantLevel {
  const out = new VariantLevel();
  for (const { name, value } of level.entries) {
    const bare = name.replace(/^[a-z_]+/, '') || name;
    out.entries.push({ name: bare, value: value instanceof VariantLevel ? withoutPrefixes(value) : value });
  }
  return out;
}

export interface LegacyText {
  /** Loops in the description, outermost first. */
  loops: Loop[];
  /** The date as written; `undefined` when there is none. */
  dateText: string | undefined;
}

/** Characters of a description that are searched. */
const MAX_DESCRIPTION = 65_536;
const KINDS: Record<string, LoopKind> = { T: 'T', XY: 'S', Z: 'Z' };

/** Parses the text items (`TINF`): `Dimensions: T(5) x XY(4) x Z(3)`, and `Z Stack Loop: 5 - Step 0,5 µm`. */
export function parseLegacyText(bytes: Uint8Array): LegacyText {
  const texts = [...allElements(parseXml(decodeText(bytes)).root)].flatMap(({ attributes, text }) => [
    ...Object.values(attributes),
    text,
  ]);
  const description = texts.find((text) => /\bDimensions:/.test(text))?.slice(0, MAX_DESCRIPTION) ?? '';
  const line = /\bDimensions:\s?([^\r\n]{0,200})/.exec(description)?.[1] ?? '';
  const step = /Z Stack Loop:\s*\d+\s*-\s*Step\s+(\d+(?:[.,]\d+)?)/.exec(description)?.[1];
  const loops: Loop[] = [];
  for (const [, letter, count] of line.matchAll(/([\p{L}]+)'?\((\d{1,9})\)/gu)) {
    const kind = KINDS[letter!];
    if (!kind || Number(count) < 2) continue;
    const depth = kind === 'Z' && step !== undefined ? { step: positive(Number(step.replace(',', '.'))) } : {};
    loops.push({ kind, type: 0, size: Number(count), ...depth });
  }
  return { loops, dateText: texts.find((text) => text.length < 64 && parseDateTime(text) !== undefined) };
}
