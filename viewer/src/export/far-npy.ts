/** Saves a plane that the page does not hold: its samples come from the server in parts, in the type of the file. */
import type { Shape } from '../model/document.ts';
import type { FarPlane } from '../model/far-plane.ts';
import { isFloat, type Samples } from '../model/samples.ts';
import { npyHeader } from './npy.ts';

/** Samples per request. */
const PART = 1 << 24;

/** Returns a file that `numpy.load` reads. The browser may keep its parts on disk. */
export async function farNpy(
  far: FarPlane,
  [rows, columns]: Shape,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<Blob> {
  const parts: Blob[] = [];
  let descr = '';
  const step = Math.max(1, Math.floor(PART / columns));
  for (let row = 0; row < rows; row += step) {
    const end = Math.min(rows, row + step);
    const samples = await far.rows(row, end, signal);
    descr = dtypeOf(samples);
    parts.push(new Blob([samples as Samples & { buffer: ArrayBuffer }]));
    onProgress(end / rows);
  }
  return new Blob([npyHeader(descr, [rows, columns]), ...parts]);
}

/** Returns the type as NumPy writes it. All machines that run browsers are little-endian. */
function dtypeOf(samples: Samples): string {
  if (isFloat(samples)) return '<f4';
  const sign = samples instanceof Int8Array || samples instanceof Int16Array ? 'i' : 'u';
  return samples.BYTES_PER_ELEMENT === 1 ? `|${sign}1` : `<${sign}2`;
}
