/** Which samples are which plane. Pure. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import type { Notes } from '../../base/notes.js';
import { asIncomplete } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { RawScanbox } from './parse.js';

const SAMPLE_BYTES = 2;
/** Rows and columns of the first version, which does not write them. */
const FIRST_SIZE = [512, 796] as const;

export interface ScanboxLayout {
  rows: number;
  columns: number;
  /** Numbers of the detectors, from 0; the samples of all follow each other at each pixel. */
  detectors: number[];
  /** Planes of a volume, which frames cycle through. */
  planes: number;
  volumes: number;
}

/** @throws AcqError `decode_failed`, `unsupported_format` */
export function toLayout(raw: RawScanbox, fileBytes: number, notes: Notes): ScanboxLayout {
  if (raw.simon === 1) throw unsupported('was written by another program than Scanbox (`simon`), in another form.');
  const [rows, columns] = frameSize(raw, notes);
  const detectors = findDetectors(raw, notes);
  const frameBytes = rows * columns * detectors.length * SAMPLE_BYTES;
  const frames = Math.floor(fileBytes / frameBytes);
  const planes = findPlanes(raw);
  const volumes = Math.floor(frames / planes);
  if (volumes < 1 || frames > LIMITS.planes || planes > LIMITS.planes) {
    const needed = grouped(frameBytes * planes);
    throw decodeFailed(
      `the file has ${plural(fileBytes, 'byte')}, but the first ${planes > 1 ? 'volume' : 'frame'} needs ${needed}.`,
    );
  }
  const rest = fileBytes - frames * frameBytes;
  if (rest > 0) {
    notes.add(
      asIncomplete(`The last frame is incomplete (${grouped(rest)} of ${grouped(frameBytes)} bytes) and was skipped.`),
    );
  }
  const left = frames - volumes * planes;
  if (left > 0)
    notes.add(asIncomplete(`The last volume has ${grouped(left)} of ${plural(planes, 'plane')} and was skipped.`));
  describePlan(raw, frames, rows, notes);
  return { rows, columns, detectors, planes, volumes };
}

/** A folded frame is several, one below the other. */
function frameSize({ sz, foldLines, recordsPerBuffer, scanmode }: RawScanbox, notes: Notes): [number, number] {
  const [rows, columns] = sz ?? FIRST_SIZE;
  if (!sz) {
    notes.add(`The settings do not have the size of the frames, which was assumed to be ${rows} × ${columns}.`);
    const lines = (recordsPerBuffer ?? rows) * (scanmode === 0 ? 2 : 1);
    if (lines !== rows) notes.add(`\`recordsPerBuffer\` says ${plural(lines, 'row')}. Showing ${rows}.`);
  }
  if (rows > LIMITS.planeSide || columns > LIMITS.planeSide) {
    throw decodeFailed(`\`sz\` says ${grouped(rows)} × ${grouped(columns)} pixels.`);
  }
  if (foldLines === 0) return [rows, columns];
  if (Number.isInteger(foldLines) && foldLines > 0 && rows % foldLines === 0) return [foldLines, columns];
  throw decodeFailed(`\`fold_lines\` is ${foldLines}, which does not divide the ${grouped(rows)} rows.`);
}

function findDetectors({ nchan, channels, chanSave }: RawScanbox, notes: Notes): number[] {
  if (nchan === undefined) {
    const detectors = channels === undefined ? undefined : { 1: [0, 1], 2: [0], 3: [1] }[channels];
    if (detectors) return detectors;
    throw decodeFailed(`\`channels\` is ${channels ?? 'missing'}; expected 1, 2 or 3.`);
  }
  if (!Number.isInteger(nchan) || nchan < 1 || nchan > 64) {
    throw decodeFailed(`\`chan.nchan\` is ${nchan}; expected the number of channels.`);
  }
  const saved = chanSave.flatMap((isSaved, i) => (isSaved === 1 ? [i] : []));
  if (saved.length === nchan) return saved;
  notes.add(
    `\`chan.save\` does not say which detectors were saved. The first ${nchan === 1 ? 'one was' : `${nchan} were`} assumed.`,
  );
  return Array.from({ length: nchan }, (_, i) => i);
}

function findPlanes({ volscan, etlRows, otwave, otparam }: RawScanbox): number {
  if (volscan !== 1) return 1;
  const ofParameters = Number.isInteger(otparam[2]) ? otparam[2]! : 0;
  return Math.max(1, etlRows || otwave || ofParameters);
}

/** 0 frames were planned when the recording was to be stopped by hand. */
function describePlan({ frames = 0, sz }: RawScanbox, found: number, rows: number, notes: Notes): void {
  const planned = frames * ((sz?.[0] ?? rows) / rows);
  if (planned <= found) return;
  notes.add(
    asIncomplete(`Scanbox planned ${plural(planned, 'frame')}, but the file has ${grouped(found)}. Showing these.`),
  );
}
