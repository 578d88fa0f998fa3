import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { grouped, plural, subjectFirst } from '../../base/wording.js';
import type { SceneInfo, Step } from '../../model/acquisition.js';
import { resolveAxis } from '../../model/metadata/axes.js';
import { channelsShown } from '../../model/metadata/colors.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep } from '../../model/metadata/steps.js';
import type { LineScanHeader } from './parse.js';

const SAMPLE_BYTES = 2;

/** What the size of the samples' file depends on. */
interface SampleFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * Describes the line scan: rows are cycles of the scan path, columns are the samples of one cycle. X has no calibration,
 * because the path is not uniform in space: its pauses and turns are samples too.
 * @throws AcqError `decode_failed`, `unsupported_format` when the samples do not fit the header
 */
export function toScene(file: SampleFile, header: LineScanHeader): SceneInfo {
  if (header.channelsDataType !== undefined && header.channelsDataType !== 'int16') {
    const type = header.channelsDataType.slice(0, 20);
    throw unsupported(`samples of type ${type} are not supported; expected int16`);
  }
  const notes = new Notes();
  const { channels, displays, optics, lineScanSamplesPerFrame: X } = header;
  const named = channelsShown(channelsNamed(channels.map(({ name }) => name)), displays);
  const Y = countCycles(file, header, notes);
  return {
    name: '',
    sampleType: 'int16',
    channels: named.map((channel, i) => ({ ...channel, ...optics[i] })),
    sizes: { T: 1, Z: 1, Y, X },
    steps: { T: defaultStep('Frames'), Z: defaultStep('Planes'), Y: cyclePeriod(header, Y, notes), X: defaultStep() },
    ...header.instrument,
    date: '',
    time: '',
    reference: null,
    warnings: notes.list(),
  };
}

/** Returns the number of complete cycles: the file size tells it, because a recording may be stopped early. */
function countCycles(file: SampleFile, header: LineScanHeader, notes: Notes): number {
  const samples = header.lineScanSamplesPerFrame;
  const cycleBytes = samples * header.channels.length * SAMPLE_BYTES;
  const cycles = Math.floor(file.size / cycleBytes);
  if (cycles < 1) {
    throw decodeFailed(
      `the file has ${plural(file.size, 'byte')}, but one cycle of ` +
        `${plural(header.channels.length, 'channel')} × ${plural(samples, 'sample')} needs ${grouped(cycleBytes)}`,
    );
  }
  if (cycleBytes > LIMITS.chunkBytes)
    throw unsupported(`one cycle has ${grouped(cycleBytes)} bytes; the limit is ${grouped(LIMITS.chunkBytes)}`);
  const rest = file.size - cycles * cycleBytes;
  if (rest > 0) {
    notes.add(
      subjectFirst(
        file.name,
        `the last cycle is incomplete (${grouped(rest)} of ${grouped(cycleBytes)} bytes) and was skipped; ` +
          `showing ${plural(cycles, 'cycle')}`,
      ),
    );
  }
  if (header.framesPerSlice !== undefined && cycles < header.framesPerSlice) {
    const complete = plural(cycles, 'complete cycle');
    notes.add(subjectFirst(file.name, `has ${complete}, but the header says ${grouped(header.framesPerSlice)}`));
  }
  return cycles;
}

/** Prefers samples ÷ sample rate, which is exact, to the period in the header, which is rounded to six digits. */
function cyclePeriod(header: LineScanHeader, cycles: number, notes: Notes): Step {
  const { lineScanSamplesPerFrame: samples, sampleRate = Number.NaN, scanFramePeriod = Number.NaN } = header;
  const nominal = [
    { step: samples / sampleRate, what: `\`sampleRate\` (${plural(samples, 'sample')})` },
    { step: scanFramePeriod, what: '`scanFramePeriod`' },
  ];
  const { step } = resolveAxis('Y', cycles, { unit: 'seconds', nominal }, notes);
  if (step.unit !== 'seconds') {
    notes.add(
      'The header does not contain the sample rate, so the time axis is in pixels. ' +
        'Enter the line period in the viewer or pass `calibration`.',
    );
  }
  return step;
}
