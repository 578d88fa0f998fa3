import type { TagSpec } from './tiff.js';

export interface FluoViewDimension {
  name: string;
  size: number;
  resolution: number;
  unit: string;
}

/** MM_HEAD (tag 34361): 1454 packed bytes, ten dimensions of 100 bytes from 284 on. Text is Latin-1. */
export function mmHead(dimensions: readonly FluoViewDimension[], littleEndian = true): TagSpec {
  const bytes = new Uint8Array(1454);
  const view = new DataView(bytes.buffer);
  view.setInt16(0, 1454, littleEndian);
  bytes.set(Buffer.from('image', 'latin1'), 3);
  dimensions.forEach(({ name, size, resolution, unit }, i) => {
    const at = 284 + i * 100;
    bytes.set(Buffer.from(name, 'latin1'), at);
    view.setInt32(at + 16, size, littleEndian);
    view.setFloat64(at + 28, resolution, littleEndian);
    bytes.set(Buffer.from(unit, 'latin1'), at + 36);
  });
  return { code: 34361, type: 1, bytes };
}

/** Tag 285 of the exports of 2022. */
export function primaryDimensions(dimensions: readonly Omit<FluoViewDimension, 'size'>[]): TagSpec {
  const row = (key: string, values: string[]) => `${[key, ...values].join('\t')}\r\n`;
  const text = [
    '[Primary Dimensions]\n',
    row(
      'Name',
      dimensions.map(({ name }) => name),
    ),
    row(
      'Offset',
      dimensions.map(() => '0.000000'),
    ),
    row(
      'Resolution',
      dimensions.map(({ resolution }) => resolution.toFixed(6)),
    ),
    row(
      'Units',
      dimensions.map(({ unit }) => unit),
    ),
    '[Higher Dimensions]\nName\r\n\0',
  ].join('');
  return { code: 285, type: 2, bytes: Buffer.from(text, 'latin1') };
}

/** Tag 270: acquisition parameters as INI-like text. */
export function acquisitionParameters(lines: readonly string[]): TagSpec {
  const text = ['[Acquisition Parameters]', ...lines, '[Acquisition Parameters End]', ''].join('\r\n');
  return { code: 270, type: 2, text };
}

export const EXPORT_SOFTWARE: TagSpec = { code: 305, type: 2, text: 'FV30S-SW /FileVersion=1.2.6.0' };
