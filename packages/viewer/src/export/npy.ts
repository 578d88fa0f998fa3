import { npyHeader } from '@acquisition-store/readers/model/samples/npy.js';
import type { Shape } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';
import { littleEndianBytes } from './bytes.ts';
import { sampleType } from './sample-type.ts';

/** Returns a file that `numpy.load` reads as an array of `shape`, in the type of the samples, which are not copied. */
export function npyParts(data: Samples, shape: Shape): BlobPart[] {
  return [npyHeader(sampleType(data).name, shape), littleEndianBytes(data)];
}
