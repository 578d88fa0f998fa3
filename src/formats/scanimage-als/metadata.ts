import type { SceneInfo, Step } from '../../acquisition.js';
import { decodeFailed, unsupported } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { channelsShown } from '../../metadata/colors.js';
import { channelsNamed } from '../../metadata/names.js';
import { defaultStep, makeStep } from '../../metadata/steps.js';
import { grouped, plural } from '../../wording.js';
import type { RawLineScan } from './parse.js';

const SAMPLE_BYTES = 2;

/**
 * Header and length of the samples → the scene. Rows are cycles of the scan path, columns the samples of one cycle. X stays
 * without calibration: the path is not uniform in space, its pauses and turns are samples too.
 */
export function toScene(raw: RawLineScan, dataName: string, dataBytes: number): SceneInfo {
  if (raw.channelsDataType !== undefined && raw.channelsDataType !== 'int16') {
    throw unsupported(`${dataName}: samples of type ${raw.channelsDataType.slice(0, 20)}; only int16 is known`);
  }
  const warnings: string[] = [];
  const X = raw.lineScanSamplesPerFrame;
  const cycleBytes = X * raw.channels.length * SAMPLE_BYTES;
  const Y = Math.floor(dataBytes / cycleBytes);
  if (Y < 1) {
    throw decodeFailed(
      `${dataName}: has ${dataBytes} bytes; one cycle of ${raw.channels.length} channels × ${X} samples needs ${cycleBytes}`,
    );
  }
  if (X > LIMITS.planeSide || Y > LIMITS.planeSide || X * Y > LIMITS.planePixels || cycleBytes > LIMITS.chunkBytes) {
    throw unsupported(`${dataName}: ${Y} cycles of ${X} samples are more than one plane can have`);
  }
  const left = dataBytes - Y * cycleBytes;
  if (left > 0) {
    warnings.push(
      `${dataName}: the last cycle is incomplete (${left} of ${cycleBytes} bytes) and was skipped; showing ${plural(Y, 'cycle')}`,
    );
  }
  if (raw.framesPerSlice !== undefined && Y < raw.framesPerSlice) {
    warnings.push(
      `${dataName}: has ${plural(Y, 'complete cycle')}, but the header says ${grouped(raw.framesPerSlice)}`,
    );
  }
  return {
    name: '',
    sampleType: 'int16',
    channels: channelsShown(channelsNamed(raw.channels.map(({ name }) => name)), raw.displays),
    sizes: { T: 1, Z: 1, Y, X },
    steps: { T: defaultStep('Frames'), Z: defaultStep('Planes'), Y: linePeriod(raw, warnings), X: defaultStep() },
    date: '',
    time: '',
    reference: null,
    warnings,
  };
}

/** Samples of a cycle over the sample rate: exact. The frame period of the header is rounded to six digits. */
function linePeriod(raw: RawLineScan, warnings: string[]): Step {
  const period = raw.sampleRate === undefined ? Number.NaN : raw.lineScanSamplesPerFrame / raw.sampleRate;
  const exact = makeStep(period, 'seconds');
  const stated = makeStep(raw.scanFramePeriod ?? Number.NaN, 'seconds');
  if (exact && stated && Math.abs(exact.step - stated.step) > 0.01 * exact.step) {
    warnings.push(
      `${raw.lineScanSamplesPerFrame} samples at ${raw.sampleRate} Hz take ${exact.step} s, the header says ` +
        `${stated.step} s for a cycle; the former is used`,
    );
  }
  if (!exact && !stated) warnings.push('the header states no usable sample rate: the lines have no period');
  return exact ?? stated ?? defaultStep();
}
