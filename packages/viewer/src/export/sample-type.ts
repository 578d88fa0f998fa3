/** How files name the types of samples. */
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { Samples } from '../model/samples.ts';

export interface SampleType {
  /** As NumPy calls it. */
  readonly name: 'uint8' | 'int8' | 'uint16' | 'int16' | 'float32';
  readonly bits: number;
  /** SampleFormat of TIFF: 1 unsigned, 2 signed, 3 float. */
  readonly tiff: 1 | 2 | 3;
}

const SMALL: Readonly<Record<string, (samples: Samples) => Samples>> = {
  uint8: (samples) => Uint8Array.from(samples),
  int8: (samples) => Int8Array.from(samples),
  uint16: (samples) => Uint16Array.from(samples),
  int16: (samples) => Int16Array.from(samples),
};

/** Returns the samples of a maximum in the type of the file, whose samples they are; others as they are. */
export function inFileType(samples: Samples, { header, projection = {} }: Described): Samples {
  const isMaximum = Object.values(projection).length > 0 && Object.values(projection).every((one) => one === 'max');
  return (isMaximum && SMALL[header.dtype]?.(samples)) || samples;
}

type Described = Pick<OpenResponse, 'header' | 'projection'>;

export function sampleType(samples: Samples): SampleType {
  if (samples instanceof Uint8Array) return { name: 'uint8', bits: 8, tiff: 1 };
  if (samples instanceof Int8Array) return { name: 'int8', bits: 8, tiff: 2 };
  if (samples instanceof Uint16Array) return { name: 'uint16', bits: 16, tiff: 1 };
  if (samples instanceof Int16Array) return { name: 'int16', bits: 16, tiff: 2 };
  return { name: 'float32', bits: 32, tiff: 3 };
}
