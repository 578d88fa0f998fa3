import type { TagSpec } from './tiff.js';

export interface ImageJItemsSpec {
  labels?: string[];
  /** 768 bytes each: red, green, blue. */
  luts?: Uint8Array[];
  /** Black and white of each channel. */
  ranges?: number[];
}

/** ImageJ's own metadata: tags 50838 (lengths) and 50839 (a header of types and counts, then the items). */
export function imageJTags({ labels = [], luts = [], ranges }: ImageJItemsSpec, littleEndian = false): TagSpec[] {
  const text = (label: string) => {
    const bytes = Buffer.from(label, 'utf16le');
    return littleEndian ? bytes : bytes.swap16();
  };
  const doubles = (values: readonly number[]) => {
    const view = new DataView(new ArrayBuffer(8 * values.length));
    for (const [i, value] of values.entries()) view.setFloat64(8 * i, value, littleEndian);
    return new Uint8Array(view.buffer);
  };
  const types: [string, Uint8Array[]][] = [
    ['labl', labels.map(text)],
    ['rang', ranges ? [doubles(ranges)] : []],
    ['luts', luts],
  ];
  const used = types.filter(([, items]) => items.length > 0);
  const header = Buffer.alloc(4 + 8 * used.length);
  header.write(littleEndian ? 'JIJI' : 'IJIJ', 'latin1');
  for (const [i, [type, items]] of used.entries()) {
    header.write(littleEndian ? [...type].reverse().join('') : type, 4 + 8 * i, 'latin1');
    if (littleEndian) header.writeUInt32LE(items.length, 8 + 8 * i);
    else header.writeUInt32BE(items.length, 8 + 8 * i);
  }
  const items = used.flatMap(([, own]) => own);
  return [
    { code: 50838, type: 4, values: [header.length, ...items.map(({ length }) => length)] },
    { code: 50839, type: 1, bytes: new Uint8Array(Buffer.concat([header, ...items])) },
  ];
}

/** A table of 256 entries: all red values, all green ones, all blue ones. */
export function imageJLut(entry: (index: number) => readonly [number, number, number]): Uint8Array {
  const bytes = new Uint8Array(768);
  for (let i = 0; i < 256; i++) for (const [c, part] of entry(i).entries()) bytes[256 * c + i] = part;
  return bytes;
}
