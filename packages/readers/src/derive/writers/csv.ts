/** One plane as text: `# ` lines with what it is, then the samples, a row for each line. */
import { toUtf8 } from '../../base/bytes.js';
import { grouped } from '../../base/wording.js';
import type { SampleArray } from '../../model/samples/types.js';
import { OutputError } from './output-error.js';
import { describePlane } from './plane-text.js';
import type { ByteSink, CutJob } from './types.js';

/** More is slow to open in any program, and large: 50 MB. */
const MAX_SAMPLES = 10_000_000;
/** Digits of a time: those after them are of rounding. */
const TIME_DIGITS = 12;
/** Characters that are collected before they are written. */
const BATCH = 2 ** 20;

/** @throws OutputError `not_representable` for more samples than programs open */
export function checkCsv({ cut, name }: Pick<CutJob, 'cut' | 'name'>): void {
  const { sizes } = cut.info.scenes[cut.first.scene]!;
  if (sizes.Y * sizes.X <= MAX_SAMPLES) return;
  const text = `the plane has ${grouped(sizes.Y)} × ${grouped(sizes.X)} samples; the limit of a CSV file is ${grouped(MAX_SAMPLES)}. Export it as npy or ome-tiff.`;
  throw new OutputError('not_representable', name, text);
}

/** Writes the first plane. */
export async function writeCsvTo(job: CutJob, sink: ByteSink): Promise<void> {
  const { cut } = job;
  const { sizes, coordinates } = cut.info.scenes[cut.first.scene]!;
  const lineTimes = coordinates?.Y?.values;
  const column = lineTimes ? [`first column: time of the row in seconds, by its ${coordinates?.Y?.source}`] : [];
  const lines = [...(await describePlane(job)), ...column].map((line) => `# ${line}\n`);
  sink.write(toUtf8(lines.join('')));
  const samples = await cut.read(cut.first);
  let text = '';
  for (let row = 0; row < sizes.Y; row++) {
    if (lineTimes) text += `${toText(Number(lineTimes[row]?.toPrecision(TIME_DIGITS)))},`;
    text += `${toRow(samples.subarray(row * sizes.X, (row + 1) * sizes.X))}\n`;
    if (text.length < BATCH && row < sizes.Y - 1) continue;
    sink.write(toUtf8(text));
    text = '';
  }
  job.onPlane();
}

function toRow(samples: SampleArray): string {
  if (!(samples instanceof Float32Array || samples instanceof Float64Array)) return samples.join(',');
  return Array.from(samples, toText).join(',');
}

/** Returns text that numpy, R and MATLAB read as the same number. */
function toText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Object.is(value, -0) ? '-0' : String(value);
}
