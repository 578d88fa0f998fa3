/** Imaris IMS: resolution level 0 of its channels and time points. See `docs/formats/ims.md`. */
import type { Acquisition, OpenInput, PlaneAddress, Reader } from '../../acquisition.js';
import { AcqError, decodeFailed, unsupported } from '../../errors.js';
import { isMarked } from '../../hdf5/contents.js';
import type { Dataset } from '../../hdf5/dataset.js';
import { Hdf5File } from '../../hdf5/file.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { type PlaneTarget, RowsTarget } from '../../samples/plane-target.js';
import type { SampleType } from '../../samples/types.js';
import { toScene } from './metadata.js';
import { dataOf, parseIms, type RawIms } from './parse.js';

export const reader: Reader = {
  open,
  claims: ({ source }) => source !== undefined && isMarked(source, 'ImarisDataSet'),
};

async function open({ source, probe, signal }: OpenInput): Promise<Acquisition> {
  if (!source) throw unsupported(`${probe.name}: is a folder; open the .ims file inside it`);
  signal?.throwIfAborted();
  return openIms(source, probe.name);
}

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function openIms(source: ByteSource, name: string): Acquisition {
  const raw = parseIms(new Hdf5File(source, name));
  const warnings: string[] = [];
  for (const stated of raw.misstated) {
    warnings.push(`The channel has ${stated}, which does not fit its array; the size of the image is taken instead.`);
  }
  const announced = { ...raw.size };
  const datasets = raw.channels.map((channel) => dataOf(raw.level, raw.timePoints[0] as number, channel).dataset);
  const sampleType = widestType(datasets);
  fitSize(raw, datasets, name, warnings);
  // One line for each time point.
  const lines = raw.size.Y === 1 && raw.size.X > 1 && raw.timePoints.length > 1;
  const scene = toScene(raw, announced, sampleType, lines, warnings);
  const bandRows = lines ? undefined : datasets[0]?.bandRows(1);
  const at = ({ channel, t }: Pick<PlaneAddress, 'channel' | 't'>): Dataset => {
    const [timePoint, number] = [raw.timePoints[t], raw.channels[channel]];
    if (timePoint === undefined || number === undefined)
      throw decodeFailed(`${name}: has no channel ${channel} at ${t}`);
    const { dataset } = dataOf(raw.level, timePoint, number);
    dataset.check();
    return dataset;
  };
  return {
    info: { format: 'ims', scenes: [scene] },
    ...(bandRows === undefined ? {} : { bands: () => Math.ceil(scene.sizes.Y / bandRows) }),
    scratchBytes: () => Math.max(...datasets.map(({ scratchBytes }) => scratchBytes)),
    async readPlane({ channel, t, z }, target, signal) {
      signal?.throwIfAborted();
      if (!lines) return await at({ channel, t }).readPlane({ row: 1, column: 2, at: [z, 0, 0] }, target, signal);
      await readLines((line) => at({ channel, t: line }), z, target, signal);
    },
  };
}

async function readLines(
  at: (line: number) => Dataset,
  z: number,
  target: PlaneTarget,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let line = 0; line < target.rows; line++) {
    if (target.wants?.(line, 1) === false) continue;
    await at(line).readPlane({ row: 1, column: 2, at: [z, 0, 0] }, new RowsTarget(target, line, 1), signal);
  }
}

/** Arrays are padded to whole chunks: what is valid is announced, and must be there. */
function fitSize(raw: RawIms, datasets: readonly Dataset[], name: string, warnings: string[]): void {
  const { size } = raw;
  for (const [i, axis] of (['Z', 'Y', 'X'] as const).entries()) {
    const there = Math.min(...datasets.map(({ shape }) => shape[i] as number));
    if (size[axis] > there) {
      warnings.push(`The file announces ${size[axis]} pixels along ${axis} and holds ${there}, which are served.`);
      size[axis] = there;
    }
    if (size[axis] < 1) throw decodeFailed(`${name}: its image is empty along ${axis}`);
  }
  const { X, Y, Z } = size;
  const rows = Math.max(Y, raw.timePoints.length);
  if (X > LIMITS.planeSide || Y > LIMITS.planeSide || X * (Y === 1 ? rows : Y) > LIMITS.planePixels) {
    throw new AcqError('plane_too_large', `${name}: claims ${Y} × ${X} pixels, more than can be read`);
  }
  if (Z * raw.timePoints.length > LIMITS.planes) throw decodeFailed(`${name}: claims more planes than any real file`);
  if (datasets.some(({ neverWritten }) => neverWritten)) {
    warnings.push('Some channels were never written; their pixels have the fill value of the file.');
  }
}

const BITS: Readonly<Partial<Record<SampleType, number>>> = { uint8: 8, uint16: 16, uint32: 32, float32: 33 };

/** The type that holds the values of all channels. */
function widestType(datasets: readonly Dataset[]): SampleType {
  const types = datasets.map((dataset) => {
    dataset.check();
    return dataset.sampleType;
  });
  return types.reduce((widest, type) => ((BITS[type] ?? 64) > (BITS[widest] ?? 64) ? type : widest));
}
