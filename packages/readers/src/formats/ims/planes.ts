/** The arrays of an Imaris file: one per channel and time point, as Z × Y × X. */

import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import type { Notes } from '../../base/notes.js';
import { grouped } from '../../base/wording.js';
import type { Dataset } from '../../hdf5/dataset.js';
import type { PlaneAddress } from '../../model/acquisition.js';
import { type PlaneTarget, RowsTarget } from '../../model/samples/plane-target.js';
import type { SampleType } from '../../model/samples/types.js';
import { findArray, type RawIms } from './parse.js';

/** Reads the planes of an Imaris file. */
export class ImsPlanes {
  readonly sampleType: SampleType;
  /** Pixels that the file describes and that its arrays contain. */
  readonly size: RawIms['size'];
  /** True when the time points are the rows of one plane: they have a single row each. */
  readonly isLineScan: boolean;
  /** Rows that are decoded together; `undefined` when planes are read without decoding. */
  readonly bandRows: number | undefined;
  readonly scratchBytes: number;
  private readonly raw: RawIms;

  /** @throws AcqError `decode_failed`, `unsupported_format`, `plane_too_large` */
  constructor(raw: RawIms, notes: Notes) {
    this.raw = raw;
    const datasets = raw.channels.map((channel) => findArray(raw.level, raw.timePoints[0]!, channel).dataset);
    for (const dataset of datasets) dataset.check();
    for (const ignored of raw.ignoredSizes) {
      notes.add(`The channel has ${ignored}, which does not match its array. The size of the image was used.`);
    }
    this.sampleType = widestType(datasets);
    this.size = fitSize(raw, datasets, notes);
    this.isLineScan = this.size.Y === 1 && this.size.X > 1 && raw.timePoints.length > 1;
    this.bandRows = this.isLineScan ? undefined : datasets[0]?.bandRows(1);
    this.scratchBytes = Math.max(...datasets.map(({ scratchBytes }) => scratchBytes));
    if (datasets.some(({ neverWritten }) => neverWritten)) {
      notes.add('Some channels were never written. Their pixels have the fill value of the file.');
    }
  }

  /** @throws AcqError `decode_failed`, `unsupported_format` */
  async read({ channel, t, z }: PlaneAddress, target: PlaneTarget, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const choice = { row: 1, column: 2, at: [z, 0, 0] };
    if (!this.isLineScan) return await this.dataset(channel, t).readPlane(choice, target, signal);
    for (let line = 0; line < target.rows; line++) {
      if (target.wants?.(line, 1) === false) continue;
      await this.dataset(channel, line).readPlane(choice, new RowsTarget(target, line, 1), signal);
    }
  }

  private dataset(channel: number, t: number): Dataset {
    const { level, timePoints, channels } = this.raw;
    const [timePoint, number] = [timePoints[t], channels[channel]];
    if (timePoint === undefined || number === undefined) {
      throw decodeFailed(`channel ${channel} of time point ${grouped(t)} is missing`);
    }
    const { dataset } = findArray(level, timePoint, number);
    dataset.check();
    return dataset;
  }
}

/** Limits the described size to what the arrays contain. They are padded to whole chunks, so they may contain more. */
function fitSize(raw: RawIms, datasets: readonly Dataset[], notes: Notes): RawIms['size'] {
  const size = { ...raw.size };
  for (const [i, axis] of (['Z', 'Y', 'X'] as const).entries()) {
    const available = Math.min(...datasets.map(({ shape }) => shape[i]!));
    if (size[axis] > available) {
      notes.add(
        `The file describes ${grouped(size[axis])} pixels along ${axis}, but contains ${grouped(available)}. Showing ${grouped(available)}.`,
      );
      size[axis] = available;
    }
    if (size[axis] < 1) throw decodeFailed(`the image is empty along ${axis}`);
  }
  const planes = size.Z * raw.timePoints.length;
  if (planes > LIMITS.planes)
    throw decodeFailed(`lists ${grouped(planes)} planes; the limit is ${grouped(LIMITS.planes)}`);
  return size;
}

const BITS: Readonly<Partial<Record<SampleType, number>>> = { uint8: 8, uint16: 16, uint32: 32, float32: 33 };

/** Returns the type that can hold the values of all channels. */
function widestType(datasets: readonly Dataset[]): SampleType {
  return datasets
    .map(({ sampleType }) => sampleType)
    .reduce((widest, type) => ((BITS[type] ?? 64) > (BITS[widest] ?? 64) ? type : widest));
}
