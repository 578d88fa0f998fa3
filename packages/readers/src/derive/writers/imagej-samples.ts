/** Samples in the types that ImageJ has. */

import type { Notes } from '../../base/notes.js';
import { subjectFirst } from '../../base/wording.js';
import type { SceneInfo } from '../../model/acquisition.js';
import { isBig, type SampleArray, type SampleType } from '../../model/samples/types.js';
import { OutputError } from './output-error.js';

/** How the samples of a scene are stored. ImageJ adds 32,768 to signed 16-bit samples, and shows them without. */
export interface StoredType {
  /** As in the TIFF tag: 1 unsigned, 2 signed, 3 float. */
  sampleFormat: 1 | 2 | 3;
  bits: 8 | 16 | 32;
  /** 3 for a color image, whose samples are stored together. */
  samplesPerPixel: 1 | 3;
  /** Returns samples in this type. @throws OutputError `not_representable` */
  convert(samples: SampleArray): SampleArray;
}

/** Types that ImageJ has; others become float32. */
const NATIVE: Partial<Record<SampleType, Omit<StoredType, 'samplesPerPixel' | 'convert'>>> = {
  uint8: { sampleFormat: 1, bits: 8 },
  uint16: { sampleFormat: 1, bits: 16 },
  int16: { sampleFormat: 2, bits: 16 },
  float16: { sampleFormat: 3, bits: 32 },
  float32: { sampleFormat: 3, bits: 32 },
};

/** Returns how to store a scene. @param name of the file, for messages */
export function storedType(scene: SceneInfo, name: string, notes: Notes): StoredType {
  const { sampleType } = scene;
  const samplesPerPixel = isColorImage(scene) ? 3 : 1;
  const native = NATIVE[sampleType];
  if (native) return { ...native, samplesPerPixel, convert: (samples) => samples };
  if (sampleType === 'int8') {
    return { sampleFormat: 2, bits: 16, samplesPerPixel, convert: (samples) => new Int16Array(samples as Int8Array) };
  }
  const convert = sampleType === 'float64' ? roundFloats : toExactFloats;
  return {
    ...{ sampleFormat: 3, bits: 32, samplesPerPixel },
    convert: (samples) => convert(samples, { name, sampleType, notes }),
  };
}

/** True for the samples of a color camera, which ImageJ shows as one RGB image. */
export function isColorImage({ channels, sampleType }: SceneInfo): boolean {
  const colors = channels.map(({ name, color }) => `${/\b(R|G|B|Red|Green|Blue)$/.exec(name)?.[1]?.[0]} ${color}`);
  return sampleType === 'uint8' && colors.join() === 'R #FF0000,G #00FF00,B #0000FF';
}

interface Source {
  name: string;
  sampleType: SampleType;
  notes: Notes;
}

function toExactFloats(samples: SampleArray, { name, sampleType }: Source): Float32Array {
  // `from` with a conversion takes a hundred times as long for each sample.
  const floats = isBig(samples) ? Float32Array.from(samples, Number) : new Float32Array(samples);
  for (let i = 0; i < floats.length; i++) {
    const value = samples[i]!;
    const stored = floats[i]!;
    if (typeof value === 'bigint' ? BigInt(stored) === value : stored === value) continue;
    const text = `ImageJ has no type for ${sampleType} samples, and ${value} is not a 32-bit float. Export it as ome-zarr or npy.`;
    throw new OutputError('not_representable', name, text);
  }
  return floats;
}

function roundFloats(samples: SampleArray, { name, sampleType, notes }: Source): Float32Array {
  const floats = new Float32Array(samples as Float64Array);
  let isRounded = false;
  for (let i = 0; i < floats.length; i++) {
    const value = samples[i] as number;
    const stored = floats[i]!;
    if (stored === value || Number.isNaN(value)) continue;
    if (!Number.isFinite(stored)) {
      const text = `ImageJ has no type for ${sampleType} samples, and ${value} is beyond the range of 32-bit floats. Export it as ome-tiff, ome-zarr or npy.`;
      throw new OutputError('not_representable', name, text);
    }
    isRounded = true;
  }
  if (isRounded)
    notes.add(subjectFirst(name, 'the float64 samples were rounded to float32, because ImageJ has no float64.'));
  return floats;
}
