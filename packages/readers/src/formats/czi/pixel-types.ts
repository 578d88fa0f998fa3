import { unsupported } from '../../base/errors.js';
import type { SampleType } from '../../model/samples/types.js';

/** How the pixels of a subblock are stored. */
export interface PixelType {
  name: string;
  sample: SampleType;
  /** Samples of one pixel, in memory order B, G, R, A; served as R, G, B, A. */
  samples: 1 | 3 | 4;
}

const TYPES = new Map<number, PixelType>([
  [0, { name: 'Gray8', sample: 'uint8', samples: 1 }],
  [1, { name: 'Gray16', sample: 'uint16', samples: 1 }],
  [2, { name: 'Gray32Float', sample: 'float32', samples: 1 }],
  [3, { name: 'Bgr24', sample: 'uint8', samples: 3 }],
  [4, { name: 'Bgr48', sample: 'uint16', samples: 3 }],
  [8, { name: 'Bgr96Float', sample: 'float32', samples: 3 }],
  [9, { name: 'Bgra32', sample: 'uint8', samples: 4 }],
  [12, { name: 'Gray32', sample: 'int32', samples: 1 }],
  [13, { name: 'Gray64Float', sample: 'float64', samples: 1 }],
]);
const COMPLEX = new Map([
  [10, 'Gray64ComplexFloat'],
  [11, 'Bgr192ComplexFloat'],
]);

/**
 * Returns the pixel type with this id.
 * @throws AcqError `unsupported_format` for complex and unknown types
 */
export function findPixelType(id: number): PixelType {
  const type = TYPES.get(id);
  if (type) return type;
  const complex = COMPLEX.get(id);
  throw unsupported(
    complex
      ? `complex numbers (pixel type ${complex}) are not supported; export magnitude and phase`
      : `pixel type ${id} is not supported`,
  );
}

/** Returns the narrowest type that represents the samples of all `types` exactly, at most a double. */
export function commonSampleType(types: ReadonlySet<SampleType>): SampleType {
  const [first = 'uint8'] = types;
  if (types.size <= 1) return first;
  if (types.has('float64') || types.has('int32')) return 'float64';
  return types.has('float32') ? 'float32' : 'uint16';
}
