import { unsupported } from '../../errors.js';
import type { SampleType } from '../../samples/types.js';

/** How the pixels of a subblock lie in memory. */
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

/** @throws AcqError `unsupported_format` for complex and unknown types */
export function pixelTypeOf(id: number): PixelType {
  const type = TYPES.get(id);
  if (type) return type;
  const complex = COMPLEX.get(id);
  throw unsupported(
    complex
      ? `holds complex numbers (pixel type ${complex}), which are not read here; export magnitude and phase`
      : `has pixels of type ${id}, which is not read here`,
  );
}

/** The type that holds every sample of all of them exactly, or as a double. */
export function commonSampleType(types: ReadonlySet<SampleType>): SampleType {
  const [first = 'uint8'] = types;
  if (types.size <= 1) return first;
  if (types.has('float64') || types.has('int32')) return 'float64';
  return types.has('float32') ? 'float32' : 'uint16';
}
