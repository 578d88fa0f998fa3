import type { ScanImageHeader } from '../../../metadata/scanimage.js';

/** How the frames of a file follow each other, one channel taken by itself. */
export interface FrameOrder {
  slices: number;
  /** Frames at each slice before the next one. */
  repeats: number;
  /** Frames at the end of each volume that were taken while the objective flew back. */
  flyback: number;
}

/** What the header says about the scan: seconds and micrometers. `undefined`: not stated or unusable. */
export interface ScanFacts {
  order: FrameOrder;
  linePeriod: number | undefined;
  framePeriod: number | undefined;
  /** Of fast stacks. */
  volumePeriod: number | undefined;
  zStep: number | undefined;
  /** Extents of the field of view. */
  fov: { x: number; y: number } | undefined;
  /** The slow mirror stood still: every row is the same line again. */
  lineScan: boolean;
}

/** Pure conversion of the header. `lines`: rows of a frame. */
export function toScanFacts(header: ScanImageHeader, lines: number): ScanFacts {
  const average = atLeastOne(header.number('hScan2D.logAverageFactor', 'loggingFramesPerAverage')) ?? 1;
  const scanned = positive(header.number('hRoiManager.scanFramePeriod', 'scanFramePeriod')) ?? periodOf(header);
  return {
    order: frameOrder(header, average),
    linePeriod: linePeriod(header, lines),
    framePeriod: scanned === undefined ? undefined : scanned * average,
    // Of a slow stack, whose stage moves between slices, the header has no such rate.
    volumePeriod: isFastStack(header) ? inverse(header.number('hRoiManager.scanVolumeRate')) : undefined,
    zStep: positive(
      Math.abs(
        header.number(
          'hStackManager.actualStackZStepSize',
          'hStackManager.stackZStepSize',
          'stackZStepSize',
          'acq.zStepSize',
        ) ?? 0,
      ),
    ),
    fov: fieldOfView(header),
    lineScan: isLineScan(header),
  };
}

function periodOf(header: ScanImageHeader): number | undefined {
  return inverse(header.number('hRoiManager.scanFrameRate', 'scanFrameRate', 'acq.frameRate'));
}

/** 3.x has milliseconds. Without a line period of its own: the frame over its lines is no line period (flyback). */
function linePeriod(header: ScanImageHeader, lines: number): number | undefined {
  const direct = positive(header.number('hRoiManager.linePeriod', 'scanLinePeriod', 'linePeriod'));
  if (direct !== undefined || header.generation !== 3) return direct;
  const milliseconds = positive(header.number('acq.msPerLine'));
  if (milliseconds !== undefined) return milliseconds / 1000;
  // 3.x frames have no pause between them.
  const period = periodOf(header);
  return period === undefined ? undefined : period / lines;
}

function isLineScan(header: ScanImageHeader): boolean {
  if (header.flag('acq.linescan') === true) return true;
  return (
    header.number('hRoiManager.scanAngleMultiplierSlow', 'scanAngleMultiplierSlow', 'acq.scanAngleMultiplierSlow') === 0
  );
}

/**
 * Slice counts are left over from earlier settings unless the stack was enabled (the real sample says 41 slices and
 * has one). In a volume the repeats of a slice come first, flyback frames last.
 */
function frameOrder(header: ScanImageHeader, average: number): FrameOrder {
  if (header.generation === 3) return v3Order(header);
  const fast = isFastStack(header);
  const slices =
    header.generation === 4
      ? atLeastOne(header.number('stackNumSlices'))
      : atLeastOne(header.number('hStackManager.actualNumSlices', 'hStackManager.numSlices'));
  const enabled = fast || (header.generation === 4 ? (slices ?? 1) > 1 : header.flag('hStackManager.enable') === true);
  if (!enabled || slices === undefined || slices === 1) return { slices: 1, repeats: 1, flyback: 0 };
  const perVolume = atLeastOne(header.number('hStackManager.numFramesPerVolume'));
  const withFlyback = atLeastOne(
    header.number('hStackManager.numFramesPerVolumeWithFlyback', 'hFastZ.numFramesPerVolume'),
  );
  const announced = atLeastOne(header.number('hStackManager.framesPerSlice', 'acqNumFrames')) ?? 1;
  const perSlice =
    perVolume !== undefined && perVolume % slices === 0
      ? perVolume / slices
      : fast
        ? 1
        : Math.max(1, Math.floor(announced / average));
  const discarded = fast ? (header.number('hFastZ.numDiscardFlybackFrames', 'fastZNumDiscardFrames') ?? 0) : 0;
  const flyback = withFlyback === undefined ? discarded : withFlyback - slices * perSlice;
  return { slices, repeats: perSlice, flyback: Math.min(1024, Math.max(0, Math.floor(flyback))) };
}

function isFastStack(header: ScanImageHeader): boolean {
  if (header.flag('hFastZ.enable', 'fastZEnable') === true) return true;
  return header.flag('hStackManager.enable') === true && header.texts('hStackManager.stackMode')?.[0] === 'fast';
}

function v3Order(header: ScanImageHeader): FrameOrder {
  const slices = atLeastOne(header.number('acq.numberOfZSlices')) ?? 1;
  const averaged = header.flag('acq.averaging') === true;
  const frames = averaged ? 1 : (atLeastOne(header.number('acq.numberOfFrames')) ?? 1);
  return slices > 1 ? { slices, repeats: frames, flyback: 0 } : { slices: 1, repeats: 1, flyback: 0 };
}

/** Corner points in micrometers, or in degrees of the scanner with the objective's µm per degree. */
function fieldOfView(header: ScanImageHeader): ScanFacts['fov'] {
  const um = extents(header.matrix('hRoiManager.imagingFovUm'));
  if (um) return um;
  const degrees = extents(header.matrix('hRoiManager.imagingFovDeg'));
  const resolution = positive(header.number('objectiveResolution'));
  return degrees && resolution !== undefined ? { x: degrees.x * resolution, y: degrees.y * resolution } : undefined;
}

function extents(corners: number[][] | undefined): { x: number; y: number } | undefined {
  if (!corners || corners.length < 2 || corners.length > 64 || corners.some((corner) => corner.length < 2))
    return undefined;
  const span = (axis: 0 | 1) => {
    const values = corners.map((corner) => corner[axis] as number);
    return Math.max(...values) - Math.min(...values);
  };
  return { x: span(0), y: span(1) };
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 && Number.isFinite(value) ? value : undefined;
}

function inverse(value: number | undefined): number | undefined {
  return positive(value) === undefined ? undefined : 1 / (value as number);
}

/** A whole number of things, bounded; they come from a file. */
function atLeastOne(value: number | undefined): number | undefined {
  return value !== undefined && value >= 1 && value <= 1e9 ? Math.floor(value) : undefined;
}
