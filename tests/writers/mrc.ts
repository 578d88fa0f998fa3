/** Writes MRC2014 files, after https://www.ccpem.ac.uk/mrc_format/mrc2014.php. */

/** Mode, bytes and how a sample is written. 16-bit floats are given as their bits. */
const MODES = {
  int8: [0, 1, 'setInt8'],
  uint8: [0, 1, 'setUint8'],
  int16: [1, 2, 'setInt16'],
  float32: [2, 4, 'setFloat32'],
  uint16: [6, 2, 'setUint16'],
  float16: [12, 2, 'setUint16'],
} as const;

export interface MrcSpec {
  type: keyof typeof MODES;
  /** Columns, rows and sections. */
  size: [number, number, number];
  samples: ArrayLike<number>;
  bigEndian?: boolean;
  /** `MX`, `MY`, `MZ`; the size when omitted. */
  intervals?: [number, number, number];
  /** In Å, along x, y and z. */
  cell?: [number, number, number];
  /** `MAPC`, `MAPR`, `MAPS`. */
  axes?: [number, number, number];
  spaceGroup?: number;
  extended?: Uint8Array;
  labels?: string[];
  /** Written in place of the mode of the type. */
  mode?: number;
  /** As files from before 2000: no `MAP`, no machine stamp. */
  isOld?: boolean;
}

export function writeMrc(spec: MrcSpec): Uint8Array<ArrayBuffer> {
  const { type, size, samples, bigEndian = false, axes = [1, 2, 3], extended = new Uint8Array(), labels = [] } = spec;
  const [mode, bytes, set] = MODES[type];
  const file = new Uint8Array(1024 + extended.length + samples.length * bytes);
  const view = new DataView(file.buffer);
  const ints = (at: number, values: readonly number[]) => {
    for (const [i, value] of values.entries()) view.setInt32(at + 4 * i, value, !bigEndian);
  };
  const text = (at: number, value: string) => file.set(new TextEncoder().encode(value), at);
  ints(0, [...size, spec.mode ?? mode, 0, 0, 0, ...(spec.intervals ?? size)]);
  for (const [i, value] of (spec.cell ?? []).entries()) view.setFloat32(40 + 4 * i, value, !bigEndian);
  ints(64, axes);
  ints(88, [spec.spaceGroup ?? 1, extended.length]);
  // IMOD: the samples of mode 0 are unsigned.
  if (type === 'uint8') ints(152, [1_146_047_817, 0]);
  if (!spec.isOld) text(208, bigEndian ? 'MAP \x11\x11' : 'MAP DD');
  ints(220, [labels.length]);
  for (const [i, label] of labels.entries()) text(224 + 80 * i, label);
  file.set(extended, 1024);
  for (let i = 0; i < samples.length; i++) view[set](1024 + extended.length + i * bytes, samples[i]!, !bigEndian);
  return file;
}
