/** Writes DeltaVision files, after the description of the header by UCSF's IVE and Priism. */

/** Pixel type, bytes and how a sample is written. */
const TYPES = {
  uint8: [0, 1, 'setUint8'],
  int16: [1, 2, 'setInt16'],
  float32: [2, 4, 'setFloat32'],
  uint16: [6, 2, 'setUint16'],
  int32: [7, 4, 'setInt32'],
} as const;

/** What the extended header says of a plane. */
export interface SectionSpec {
  time?: number;
  x?: number;
  y?: number;
  z?: number;
  exposure?: number;
  excitation?: number;
  emission?: number;
}

export interface DeltaVisionSpec {
  type: keyof typeof TYPES;
  /** Columns, rows and planes. */
  size: [number, number, number];
  samples: ArrayLike<number>;
  bigEndian?: boolean;
  waves?: number;
  times?: number;
  sequence?: number;
  /** In µm, along x, y and z. */
  cell?: [number, number, number];
  sampling?: [number, number, number];
  wavelengths?: number[];
  /** One entry for each plane. */
  sections?: SectionSpec[];
  /** Says how long entries are, and has none. */
  isExtendedEmpty?: boolean;
  titles?: string[];
  /** File type 100, whose header goes on where others have titles. */
  newer?: { panels?: number; times?: number; seconds?: number };
  /** Written in place of the pixel type. */
  pixelType?: number;
}

const INTEGERS = 8;
const FLOATS = 32;
const ENTRY_BYTES = 4 * (INTEGERS + FLOATS);

export function writeDeltaVision(spec: DeltaVisionSpec): Uint8Array<ArrayBuffer> {
  const { type, size, samples, bigEndian = false, sections = [], titles = [], newer } = spec;
  const [pixelType, bytes, set] = TYPES[type];
  const extended = sections.length * ENTRY_BYTES;
  const file = new Uint8Array(1024 + extended + samples.length * bytes);
  const view = new DataView(file.buffer);
  const ints = (at: number, ...values: number[]) => {
    for (const [i, value] of values.entries()) view.setInt32(at + 4 * i, value, !bigEndian);
  };
  const shorts = (at: number, ...values: number[]) => {
    for (const [i, value] of values.entries()) view.setInt16(at + 2 * i, value, !bigEndian);
  };
  const floats = (at: number, ...values: number[]) => {
    for (const [i, value] of values.entries()) view.setFloat32(at + 4 * i, value, !bigEndian);
  };
  ints(0, ...size, spec.pixelType ?? pixelType);
  ints(28, ...(spec.sampling ?? [1, 1, 1]));
  floats(40, ...(spec.cell ?? []));
  ints(64, 1, 2, 3);
  ints(92, extended);
  shorts(96, -16_224);
  if (extended > 0 || spec.isExtendedEmpty) shorts(128, INTEGERS, FLOATS);
  shorts(160, newer ? 100 : 0, 10_007);
  view.setUint16(180, spec.times ?? 1, !bigEndian);
  shorts(182, spec.sequence ?? 0);
  shorts(196, spec.waves ?? 1, ...(spec.wavelengths ?? []));
  shorts(222, titles.length);
  for (const [i, title] of titles.entries()) file.set(new TextEncoder().encode(title), 224 + 80 * i);
  if (newer) {
    view.setFloat64(844, newer.seconds ?? 0, !bigEndian);
    ints(852, newer.times ?? 0);
    ints(880, newer.panels ?? 0);
  }
  for (const [i, { time = 0, x = 0, y = 0, z = 0, exposure = 0, ...light }] of sections.entries()) {
    const at = 1024 + i * ENTRY_BYTES + 4 * INTEGERS;
    floats(at + 4, time, x, y, z);
    floats(at + 32, exposure);
    floats(at + 40, light.excitation ?? 0, light.emission ?? 0);
  }
  for (let i = 0; i < samples.length; i++) view[set](1024 + extended + i * bytes, samples[i]!, !bigEndian);
  return file;
}
