/** Writes recordings of Scanbox: samples, and the struct `info` of versions 2 and 3. */
import { type Mat5Options, type Matlab, writeMat5, writeMat73 } from './matlab.js';

export interface ScanboxSpec {
  version?: 2 | 3;
  rows?: number;
  columns?: number;
  frames?: number;
  channels?: 1 | 2;
  bidirectional?: boolean;
  /** Planes of the optotune. */
  planes?: number;
  /** More fields of `info`, which replace the usual ones; `undefined` removes one. */
  info?: { [field: string]: Matlab | undefined };
  config?: { [field: string]: Matlab };
  mat?: Mat5Options | '7.3';
}

/** The signal of a sample. */
export function scanboxValue(at: Record<'frame' | 'row' | 'column' | 'channel', number>): number {
  return 10_000 * at.channel + 100 * at.frame + 10 * at.row + at.column;
}

/** Returns the pair by the names of its files. */
export function writeScanbox(spec: ScanboxSpec = {}, name = 'scan'): Record<string, Uint8Array> {
  return { [`${name}.sbx`]: samplesOf(spec), [`${name}.mat`]: settingsOf(spec) };
}

function samplesOf({ rows = 4, columns = 6, frames = 3, channels = 1 }: ScanboxSpec): Uint8Array {
  const samples = new Uint16Array(frames * rows * columns * channels);
  let at = 0;
  for (let frame = 0; frame < frames; frame++) {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        for (let channel = 0; channel < channels; channel++) {
          samples[at++] = 65_535 - scanboxValue({ frame, row, column, channel });
        }
      }
    }
  }
  return new Uint8Array(samples.buffer);
}

function settingsOf(spec: ScanboxSpec): Uint8Array {
  const { version = 3, rows = 4, columns = 6, frames = 3, channels = 1, bidirectional = false, planes = 1 } = spec;
  const is73 = spec.mat === '7.3';
  const config: { [field: string]: Matlab } = {
    wavelength: 920,
    frames,
    lines: rows,
    magnification: 2,
    magnification_list: { rows: ['1.0', '1.2', '16.5'] },
    pmt0_gain: 0.5,
    pmt1_gain: 0.625,
    knobby: { fields: { pos: { fields: { x: 1, y: 2.5, z: -3, a: 0 } } } },
    ...spec.config,
  };
  const save = [1, channels === 2 ? 1 : 0, 0, 0];
  const names: Matlab = is73 ? '' : { cell: ['GCaMP6s', 'tdTomato', '', ''] };
  const info: { [field: string]: Matlab | undefined } = {
    usernotes: 'n',
    resfreq: 8000,
    recordsPerBuffer: bidirectional ? rows / 2 : rows,
    scanmode: bidirectional ? 0 : 1,
    sz: [rows, columns],
    scanbox_version: version,
    volscan: planes > 1 ? 1 : 0,
    objective: 'Olympus_20x',
    messages: [],
    config: { fields: config },
    ...(version === 3
      ? {
          channels: -1,
          chan: { fields: { nchan: channels, save, names } },
          etl_table: planes > 1 ? { table: Array(5 * planes).fill(7), dims: [planes, 5] } : [],
          dxcal: 1.25,
          dycal: 1.5,
          ...(is73 ? {} : { calibration: { opaque: true } satisfies Matlab }),
        }
      : {
          channels: channels === 2 ? 1 : 2,
          otwave: Array.from({ length: planes }, (_, i) => 10 * i),
          ...(is73
            ? {}
            : { calibration: { structs: [1, 2, 3].map((x) => ({ x: x / 4, y: x / 2 })) } satisfies Matlab }),
        }),
    ...spec.info,
  };
  const fields = Object.fromEntries(
    Object.entries(info).filter((entry): entry is [string, Matlab] => entry[1] !== undefined),
  );
  return spec.mat === '7.3' ? writeMat73('info', { fields }) : writeMat5('info', { fields }, spec.mat);
}
