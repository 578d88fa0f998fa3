/** Reads the pixels of raw files and TIFFs. */

import { decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { readRows } from '../../io/read-rows.js';
import type { PlaneAddress } from '../../model/acquisition.js';
import { type PlaneTarget, putZeros, RowsTarget } from '../../model/samples/plane-target.js';
import type { SampleType } from '../../model/samples/types.js';
import { readPageSample } from '../../tiff/read-page.js';
import { frameOffset, type RawLayout } from './layout.js';
import type { MemberTiffs } from './member-tiffs.js';

/** Reads a frame; of a line scan, all frames down the rows of one plane. */
export function readRawPlane(
  source: ByteSource,
  layout: RawLayout,
  address: Omit<PlaneAddress, 'scene'>,
  target: PlaneTarget,
  signal?: AbortSignal,
): void {
  const read = (t: number, part: PlaneTarget) => {
    const offset = frameOffset(layout, { ...address, t });
    readRows(source, { offset, sampleType: 'uint16', littleEndian: true }, part, signal);
  };
  const { rowKind, rows, times } = layout;
  if (rowKind !== 'lines') {
    read(address.t, target);
    return;
  }
  for (let t = 0; t < times; t++) {
    if (target.wants?.(t * rows, rows) !== false) read(t, new RowsTarget(target, t * rows, rows));
  }
}

/**
 * Reads the plane of a TIFF. One that is not in the folder becomes zeros: a warning of the scene says so.
 * @throws AcqError `companion_missing`, `decode_failed` when it has another shape than the first one
 */
export async function readTiffPlane(
  tiffs: MemberTiffs,
  name: string | undefined,
  sampleType: SampleType,
  target: PlaneTarget,
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  if (name === undefined) return putZeros(target, sampleType);
  const tiff = tiffs.open(name);
  const page = tiff.page(0);
  const { layout } = page;
  if (layout.width !== target.columns || layout.height !== target.rows || layout.sampleType !== sampleType) {
    throw decodeFailed(
      `has ${grouped(layout.height)} × ${grouped(layout.width)} pixels of type ${layout.sampleType}, but the first file of the ` +
        `set has ${grouped(target.rows)} × ${grouped(target.columns)} of type ${sampleType}`,
    ).about(name);
  }
  await readPageSample(tiff, page, 0, target, signal);
}
