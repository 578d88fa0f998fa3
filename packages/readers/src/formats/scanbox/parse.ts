/** Parses the struct `info` of Scanbox, under its own names. Which fields it has depends on the version. */

import { latin1 } from '../../base/bytes.js';
import { decodeFailed, unsupported } from '../../base/errors.js';
import { isHdf5 } from '../../hdf5/container.js';
import type { ByteSource } from '../../io/byte-source.js';
import { elementOf, fieldOf, type MatVariable, numberOf, numbersOf, textsOf } from './mat-variable.js';
import { readMat5 } from './mat5.js';
import { readMat73 } from './mat73.js';

export interface RawScanbox {
  /** Rows and columns; `undefined` before version 2. */
  sz: [number, number] | undefined;
  /** `chan.nchan`, of version 3. */
  nchan: number | undefined;
  /** `channels`: 1 both detectors, 2 the first, 3 the second; −1 where `nchan` counts. */
  channels: number | undefined;
  chanSave: number[];
  chanNames: string[];
  /** Of another program, with other samples. */
  simon: number | undefined;
  /** 0 both directions, 1 one. */
  scanmode: number | undefined;
  /** Lines per second of the mirror. */
  resfreq: number | undefined;
  recordsPerBuffer: number | undefined;
  /** Rows of a whole scan, and frames that were planned; 0 for any number. */
  lines: number | undefined;
  frames: number | undefined;
  foldLines: number;
  volscan: number | undefined;
  /** Rows of `etl_table`, values of `otwave` and `otwave_um`, and `otparam`: the optotune. */
  etlRows: number;
  otwave: number;
  otwaveUm: number[];
  otparam: number[];
  /** µm. */
  dxcal: number | undefined;
  dycal: number | undefined;
  /** Of the magnification that was set, in µm; not numbers in version 3. */
  calibration: { x: number | undefined; y: number | undefined };
  /** Text of the magnification that was set. */
  zoom: string | undefined;
  objective: string | undefined;
  wavelength: number | undefined;
  gains: (number | undefined)[];
  stage: { x: number | undefined; y: number | undefined; z: number | undefined };
  timestamp: string | undefined;
}

/**
 * Reads the struct `info`.
 * @throws AcqError `unsupported_format` for a file of something else, `decode_failed`
 */
export async function readInfo(source: ByteSource): Promise<MatVariable> {
  const head = source.read(0, Math.min(4_096, source.size));
  const isV5 = latin1(head.subarray(0, 10)) === 'MATLAB 5.0';
  if (!isV5 && !isHdf5(head)) throw unsupported('is not a MATLAB file of version 5 or 7.3');
  const info = isV5 ? readMat5(source, 'info') : await readMat73(source, 'info');
  const isIt = fieldOf(info, 'sz') ?? fieldOf(info, 'recordsPerBuffer');
  if (!info || !isIt) throw unsupported('has no settings of Scanbox (`info` with `sz` or `recordsPerBuffer`)');
  return info;
}

/** @throws AcqError `decode_failed` for sizes that are none */
export function parseInfo(info: MatVariable): RawScanbox {
  const number = (...path: string[]) => numberOf(fieldOf(info, ...path));
  const sz = numbersOf(fieldOf(info, 'sz'));
  if (sz.length === 1 || (sz.length >= 2 && !sz.slice(0, 2).every((size) => Number.isInteger(size) && size > 0))) {
    throw decodeFailed(`\`sz\` is ${sz.slice(0, 2).join(', ')}; expected rows and columns.`);
  }
  const magnification = number('config', 'magnification') ?? 0;
  const calibrated = elementOf(fieldOf(info, 'calibration'), magnification - 1);
  const etl = fieldOf(info, 'etl_table');
  const otwave = fieldOf(info, 'otwave');
  return {
    sz: sz.length < 2 ? undefined : [sz[0]!, sz[1]!],
    nchan: number('chan', 'nchan'),
    channels: number('channels'),
    chanSave: numbersOf(fieldOf(info, 'chan', 'save')).slice(0, 64),
    chanNames: textsOf(fieldOf(info, 'chan', 'names')).slice(0, 64),
    simon: number('simon'),
    scanmode: number('scanmode'),
    resfreq: number('resfreq'),
    recordsPerBuffer: number('recordsPerBuffer'),
    lines: number('config', 'lines'),
    frames: number('config', 'frames'),
    foldLines: number('fold_lines') ?? 0,
    volscan: number('volscan'),
    etlRows: etl?.dims.every((size) => size > 0) ? (etl.dims[0] ?? 0) : 0,
    otwave: otwave?.kind === 'numbers' ? otwave.count : 0,
    otwaveUm: numbersOf(fieldOf(info, 'otwave_um')),
    otparam: numbersOf(fieldOf(info, 'otparam')),
    dxcal: number('dxcal'),
    dycal: number('dycal'),
    calibration: { x: numberOf(fieldOf(calibrated, 'x')), y: numberOf(fieldOf(calibrated, 'y')) },
    zoom: textsOf(fieldOf(info, 'config', 'magnification_list'))[magnification - 1],
    objective: textsOf(fieldOf(info, 'objective'))[0],
    wavelength: number('config', 'wavelength'),
    gains: [number('config', 'pmt0_gain'), number('config', 'pmt1_gain')],
    stage: {
      x: number('config', 'knobby', 'pos', 'x'),
      y: number('config', 'knobby', 'pos', 'y'),
      z: number('config', 'knobby', 'pos', 'z'),
    },
    timestamp: textsOf(fieldOf(info, 'timestamp'))[0],
  };
}
