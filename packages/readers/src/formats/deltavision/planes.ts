import type { ByteSource } from '../../io/byte-source.js';
import { readRows } from '../../io/read-rows.js';
import type { PlaneAddress, PlaneColumns, SceneInfo } from '../../model/acquisition.js';
import { planeNumber } from '../../model/metadata/mixed-radix.js';
import { collectColumns, type PlaneValues } from '../../model/metadata/plane-columns.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { storedBytes } from '../../model/samples/types.js';
import { HEADER_BYTES } from './magic.js';
import { type Layout, valueAt } from './metadata.js';

/** Reads a plane: its rows in the order of the file. */
export function readPlane(
  source: ByteSource,
  { raw, sampleType, axes }: Layout,
  address: PlaneAddress,
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const [columns, rows] = raw.size;
  const planeBytes = columns * rows * storedBytes(sampleType);
  const offset = HEADER_BYTES + raw.extendedBytes + planeNumber(axes, address) * planeBytes;
  readRows(source, { offset, sampleType, littleEndian: raw.littleEndian }, target, signal);
}

/** Returns time, exposure and stage position of each plane. A column in which the program wrote only zeros is left out. */
export function readColumns(layout: Layout, scene: number, info: SceneInfo): PlaneColumns {
  const fields = ['time', 'exposure', 'x', 'y', 'z'] as const;
  const columns = collectColumns(info, (place) => {
    const values: PlaneValues = {};
    for (const field of fields) values[field] = valueAt(layout, { scene, ...place }, field);
    return values;
  });
  for (const field of fields) if (columns[field]?.every((value) => !value)) delete columns[field];
  return columns;
}
