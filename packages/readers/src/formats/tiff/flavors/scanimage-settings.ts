import type { ScanImageHeader } from '../../../model/metadata/scanimage.js';

/** The order of the frames of one channel in a file. */
export interface FrameOrder {
  slices: number;
  /** Frames at each slice before the next one. */
  repeats: number;
  /** Frames at the end of each volume that were recorded while the objective flew back. */
  flyback: number;
}

/** A period, with the key that it comes from. */
export interface Period {
  seconds: number;
  what: string;
}

/** The settings of a scan in seconds and micrometers; `undefined` if missing or unusable. */
export interface ScanSettings {
  order: FrameOrder;
  /** Frames that were averaged to one. */
  average: number;
  linePeriod: number | undefined;
  framePeriod: Period | undefined;
  /** Only for fast stacks. */
  volumePeriod: Period | undefined;
  zStep: { micrometers: number; what: string } | undefined;
  /** Positions of the slices; absent when the header does not list them. */
  depths: { at: number[]; what: string } | undefined;
  /** Extents of the field of view. */
  fov: { x: number; y: number } | undefined;
  /** Seconds that the mirrors take from one region of interest to the next. */
  flyTime: number | undefined;
  /** Micrometers in a degree of the scanner, and what else the header says of it. */
  degree: { micrometers: number; note?: string } | undefined;
  /** True if the slow mirror did not move, so every row is the same line. */
  isLineScan: boolean;
}

const Z_STEP_KEYS = [
  'hStackManager.actualStackZStepSize',
  'hStackManager.stackZStepSize',
  'stackZStepSize',
  'acq.zStepSize',
];

/** The first two count what was recorded; the others are settings of 5.1 and later, and of 4 and 5.0. */
const SLICE_KEYS = [
  'hStackManager.actualNumSlices',
  'hStackManager.slicesPerAcq',
  'hStackManager.numSlices',
  'stackNumSlices',
];

/** Converts the header. @param lines rows of a frame */
export function toScanSettings(header: ScanImageHeader, lines: number): ScanSettings {
  const average = toCount(header.number('hScan2D.logAverageFactor', 'loggingFramesPerAverage')) ?? 1;
  return {
    order: findFrameOrder(header, average),
    average,
    linePeriod: findLinePeriod(header, lines),
    framePeriod: findFramePeriod(header, average),
    // The header has no such rate for a slow stack, whose stage moves between slices.
    volumePeriod: isFastStack(header)
      ? toPeriod(toInverse(header.number('hRoiManager.scanVolumeRate')), 'scanVolumeRate')
      : undefined,
    zStep: findZStep(header),
    depths: findDepths(header),
    fov: findFieldOfView(header),
    flyTime: toPositiveOrZero(header.number('hScan2D.flytoTimePerScanfield')),
    degree: findDegree(header),
    isLineScan: isLineScan(header),
  };
}

function findFramePeriod(header: ScanImageHeader, average: number): Period | undefined {
  const period = toPositive(header.number('hRoiManager.scanFramePeriod', 'scanFramePeriod'));
  const seconds = period ?? invertFrameRate(header);
  return toPeriod(seconds && seconds * average, period === undefined ? 'scanFrameRate' : 'scanFramePeriod');
}

function toPeriod(seconds: number | undefined, what: string): Period | undefined {
  return seconds === undefined ? undefined : { seconds, what };
}

function findZStep(header: ScanImageHeader): ScanSettings['zStep'] {
  for (const key of Z_STEP_KEYS) {
    const value = header.number(key);
    if (value === undefined) continue;
    const micrometers = toPositive(Math.abs(value));
    return micrometers === undefined ? undefined : { micrometers, what: key.split('.').at(-1)! };
  }
  return undefined;
}

/** Finds the positions of the slices of a stack. Lists that are not in use stay in the header. */
function findDepths(header: ScanImageHeader): ScanSettings['depths'] {
  const keys = ['hStackManager.zs'];
  if (/arbitrary/i.test(header.texts('hStackManager.stackDefinition')?.[0] ?? ''))
    keys.push('hStackManager.arbitraryZs');
  if (header.flag('hFastZ.enable') && header.flag('hFastZ.useArbitraryZs')) keys.push('hFastZ.userZs');
  for (const key of keys) {
    const at = header.numbers(key);
    if (at && at.length > 1) return { at, what: key.split('.').at(-1)! };
  }
  return undefined;
}

function invertFrameRate(header: ScanImageHeader): number | undefined {
  return toInverse(header.number('hRoiManager.scanFrameRate', 'scanFrameRate', 'acq.frameRate'));
}

/** Version 3 has milliseconds. In later versions, frame period ÷ lines is not the line period, because of the flyback. */
function findLinePeriod(header: ScanImageHeader, lines: number): number | undefined {
  const linePeriod = toPositive(header.number('hRoiManager.linePeriod', 'scanLinePeriod', 'linePeriod'));
  if (linePeriod !== undefined || header.generation !== 3) return linePeriod;
  const milliseconds = toPositive(header.number('acq.msPerLine'));
  if (milliseconds !== undefined) return milliseconds / 1000;
  // Frames of version 3 follow each other without a pause.
  const period = invertFrameRate(header);
  return period === undefined ? undefined : period / lines;
}

function isLineScan(header: ScanImageHeader): boolean {
  if (header.flag('acq.linescan') === true) return true;
  return (
    header.number('hRoiManager.scanAngleMultiplierSlow', 'scanAngleMultiplierSlow', 'acq.scanAngleMultiplierSlow') === 0
  );
}

/**
 * Slice counts remain from earlier settings unless the stack was enabled (a real sample says 41 slices and has one). Versions
 * before `hStackManager.enable` recorded a stack whenever there was more than one slice. In a volume the repeats of a slice
 * come first, flyback frames last.
 */
function findFrameOrder(header: ScanImageHeader, average: number): FrameOrder {
  if (header.generation === 3) return findV3Order(header);
  const isFast = isFastStack(header);
  const slices = toCount(header.number(...SLICE_KEYS));
  const isEnabled = isFast || (header.flag('hStackManager.enable') ?? (slices ?? 1) > 1);
  if (!isEnabled || slices === undefined || slices === 1) return { slices: 1, repeats: 1, flyback: 0 };
  const scanned = findRepeats(header, slices, isFast);
  const withFlyback = toCount(
    header.number('hStackManager.numFramesPerVolumeWithFlyback', 'hFastZ.numFramesPerVolume'),
  );
  const discarded = isFast ? (header.number('hFastZ.numDiscardFlybackFrames', 'fastZNumDiscardFrames') ?? 0) : 0;
  const flyback = withFlyback === undefined ? discarded : withFlyback - slices * scanned;
  const repeats = Math.max(1, Math.floor(scanned / average));
  return { slices, repeats, flyback: Math.min(1024, Math.max(0, Math.floor(flyback))) };
}

/** Returns how often a slice is scanned before the next one: before averaging. */
function findRepeats(header: ScanImageHeader, slices: number, isFast: boolean): number {
  const perVolume = toCount(header.number('hStackManager.numFramesPerVolume'));
  if (perVolume !== undefined && perVolume % slices === 0) return perVolume / slices;
  if (isFast) return 1;
  return toCount(header.number('hStackManager.framesPerSlice', 'acqNumFrames')) ?? 1;
}

function isFastStack(header: ScanImageHeader): boolean {
  if (header.flag('hFastZ.enable', 'fastZEnable') === true) return true;
  return header.flag('hStackManager.enable') === true && header.texts('hStackManager.stackMode')?.[0] === 'fast';
}

function findV3Order(header: ScanImageHeader): FrameOrder {
  const slices = toCount(header.number('acq.numberOfZSlices')) ?? 1;
  const isAveraged = header.flag('acq.averaging') === true;
  const frames = isAveraged ? 1 : (toCount(header.number('acq.numberOfFrames')) ?? 1);
  return slices > 1 ? { slices, repeats: frames, flyback: 0 } : { slices: 1, repeats: 1, flyback: 0 };
}

/** Corner points are in micrometers, or in degrees of the scanner with the µm per degree of the objective. */
function findFieldOfView(header: ScanImageHeader): ScanSettings['fov'] {
  const um = toExtents(header.matrix('hRoiManager.imagingFovUm'));
  if (um) return um;
  const degrees = toExtents(header.matrix('hRoiManager.imagingFovDeg'));
  const resolution = toPositive(header.number('objectiveResolution'));
  return degrees && resolution !== undefined ? { x: degrees.x * resolution, y: degrees.y * resolution } : undefined;
}

/** The extents of the field in both units say it, too. */
function findDegree(header: ScanImageHeader): ScanSettings['degree'] {
  const said = toPositive(header.number('objectiveResolution'));
  const [um, degrees] = ['Um', 'Deg'].map((unit) => toExtents(header.matrix(`hRoiManager.imagingFov${unit}`)));
  const ratio = toPositive((um?.x ?? Number.NaN) / (degrees?.x ?? Number.NaN));
  if (said === undefined) return ratio === undefined ? undefined : { micrometers: ratio };
  if (ratio === undefined || Math.abs(ratio / said - 1) <= 0.01) return { micrometers: said };
  return {
    micrometers: said,
    note:
      `X step: objectiveResolution says ${said} µm for a degree, but imagingFovUm and imagingFovDeg say ` +
      `${Number(ratio.toPrecision(6))} µm. Showing the regions of interest by ${said} µm.`,
  };
}

function toExtents(corners: number[][] | undefined): { x: number; y: number } | undefined {
  if (!corners || corners.length < 2 || corners.length > 64 || corners.some((corner) => corner.length < 2))
    return undefined;
  const span = (axis: 0 | 1) => {
    const values = corners.map((corner) => corner[axis]!);
    return Math.max(...values) - Math.min(...values);
  };
  return { x: span(0), y: span(1) };
}

function toPositive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 && Number.isFinite(value) ? value : undefined;
}

function toPositiveOrZero(value: number | undefined): number | undefined {
  return value === 0 ? 0 : toPositive(value);
}

function toInverse(value: number | undefined): number | undefined {
  const positive = toPositive(value);
  return positive === undefined ? undefined : 1 / positive;
}

/** Returns a count of at least 1, limited because it comes from a file. */
function toCount(value: number | undefined): number | undefined {
  return value !== undefined && value >= 1 && value <= 1e9 ? Math.floor(value) : undefined;
}
