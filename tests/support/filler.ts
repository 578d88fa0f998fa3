import { writeTiff } from '../writers/tiff.js';
import { writeTemp } from './temp.js';

/** Writes a file whose plane takes `bytes` in memory: when it is opened, it takes the place of all others. */
export function writeFiller(folder: string, bytes: number): string {
  const samples = new Float32Array(bytes / 4);
  return writeTemp(
    folder,
    `filler-${bytes}.tif`,
    writeTiff({ pages: [{ width: samples.length, height: 1, samples }] }),
  );
}
