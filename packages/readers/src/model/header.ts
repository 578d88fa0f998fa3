/** What a response says about the whole acquisition: its dimensions with their steps. */
import type { AxisCoordinates, SceneInfo, Step, StepOrigin, Unit } from './acquisition.js';
import type { SceneView } from './selection.js';

type MeasuredAxis = Pick<AxisCoordinates, 'unit' | 'source' | 'uneven'>;

/** Lists are aligned with `dims`. */
export interface Header {
  shape: number[];
  dims: string[];
  sizes: Record<string, number>;
  dtype: SceneInfo['sampleType'];
  numChannels: number;
  physicalUnits: number[];
  physicalUnitsLabels: Unit[];
  date: string;
  time: string;
  /** As text. */
  fileSize: string;
  calibration: StepOrigin[];
  /** The axes with measured values. */
  coordinates?: { T?: MeasuredAxis; Z?: MeasuredAxis; Y?: MeasuredAxis };
}

/** A scene, and the number of scenes of its acquisition. */
type CountedScene = Pick<SceneView, 'scene' | 'sceneCount'>;

/**
 * Returns the header of a scene with the steps in the file.
 * @param fileSize as text
 */
export function describeHeader(view: CountedScene, fileSize: string): Header {
  return toHeader(view.scene, dimensionsOf(view), fileSize);
}

interface HeaderDimension extends Step {
  name: string;
  size: number;
}

function dimensionsOf({ scene, sceneCount }: CountedScene): HeaderDimension[] {
  const { steps } = scene;
  const { T, Z, Y, X } = scene.sizes;
  const dims: HeaderDimension[] = [
    { name: 'C', size: scene.channels.length, step: 1, unit: 'Channels', origin: 'default' },
  ];
  if (sceneCount > 1) dims.push({ name: 'S', size: sceneCount, step: 1, unit: 'Scenes', origin: 'default' });
  if (T > 1) dims.push({ name: 'T', size: T, ...named(steps.T, 'Frames') });
  if (Z > 1) dims.push({ name: 'Z', size: Z, ...named(steps.Z, 'Planes') });
  dims.push({ name: 'Y', size: Y, ...steps.Y }, { name: 'X', size: X, ...steps.X });
  return dims;
}

/** Returns a step whose unit, when uncalibrated, is what the dimension counts. */
function named(step: Step, unit: 'Frames' | 'Planes'): Step {
  return step.origin === 'default' ? { step: 1, unit, origin: 'default' } : step;
}

function toHeader(scene: SceneInfo, dims: HeaderDimension[], fileSize: string): Header {
  return {
    shape: dims.map(({ size }) => size),
    dims: dims.map(({ name }) => name),
    sizes: Object.fromEntries(dims.map(({ name, size }) => [name, size])),
    dtype: scene.sampleType,
    numChannels: scene.channels.length,
    physicalUnits: dims.map(({ step }) => step),
    physicalUnitsLabels: dims.map(({ unit }) => unit),
    date: scene.date,
    time: scene.time,
    fileSize,
    calibration: dims.map(({ origin }) => origin),
    ...toMeasuredAxes(scene, dims),
  };
}

/** Names the axes with measured values. */
function toMeasuredAxes(
  { coordinates = {} }: SceneInfo,
  dims: readonly HeaderDimension[],
): Pick<Header, 'coordinates'> {
  const measured = dims.flatMap(({ name }) => {
    const axis = coordinates[name as keyof typeof coordinates];
    if (!axis) return [];
    const { unit, source, uneven } = axis;
    return [[name, { unit, source, uneven }] as const];
  });
  return measured.length > 0 ? { coordinates: Object.fromEntries(measured) } : {};
}
