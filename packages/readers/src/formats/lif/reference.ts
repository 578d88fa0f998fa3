/**
 * Finds the reference image of a line scan. The format does not link the two, so equal settings do: it is the nearest
 * earlier frame in the same folder with the same stage position, focus, objective, pan and rotation.
 */
import type { ReferenceInfo, SceneInfo } from '../../model/acquisition.js';
import { countEntries } from './layout.js';
import type { RawSettings } from './settings.js';
import type { LifImage } from './types.js';

/** Differences up to which two settings are equal, in meters and degrees. */
const TOLERANCE = { stage: 1e-7, focus: 1e-6, pan: 1e-8, rotation: 1e-6 };

/** Images before a line scan that are searched. */
const MAX_DISTANCE = 1000;

/** Returns the frame in which the line scan `images[index]` was recorded; `undefined` when there is none. */
export function findReference(images: readonly LifImage[], index: number): LifImage | undefined {
  const line = images[index]!;
  const { layout, raw } = line;
  if (layout.rowAxis !== 'T' || layout.columns.count < 2 || !raw.settings) return undefined;
  for (let i = index - 1; i >= Math.max(0, index - MAX_DISTANCE); i--) {
    const other = images[i]!;
    if (other.raw.folder !== raw.folder || !isFrame(other)) continue;
    if (other.raw.settings && isSameField(other.raw.settings, raw.settings)) return other;
  }
  return undefined;
}

function isFrame({ layout }: LifImage): boolean {
  const { rowAxis, rows, columns, z, sceneAxes } = layout;
  return rowAxis === 'Y' && rows.count > 1 && columns.count > 1 && z.count === 1 && countEntries(sceneAxes) === 1;
}

function isSameField(a: RawSettings, b: RawSettings): boolean {
  const near = (x: number, y: number, tolerance: number) => Math.abs(x - y) <= tolerance;
  return (
    a.objective !== '' &&
    a.objective === b.objective &&
    a.orientation === b.orientation &&
    near(a.stageX, b.stageX, TOLERANCE.stage) &&
    near(a.stageY, b.stageY, TOLERANCE.stage) &&
    near(a.zPosition, b.zPosition, TOLERANCE.focus) &&
    near(a.panX, b.panX, TOLERANCE.pan) &&
    near(a.panY, b.panY, TOLERANCE.pan) &&
    near(a.rotation, b.rotation, TOLERANCE.rotation)
  );
}

/** Returns the reference image `frame` with the line on it; `info` is its scene. */
export function toReference(line: LifImage, frame: LifImage, info: SceneInfo): ReferenceInfo {
  const { sampleType, channels, sizes, steps } = info;
  return {
    sampleType,
    channels,
    sizes: { Y: sizes.Y, X: sizes.X },
    steps: { Y: steps.Y, X: steps.X },
    lineRoi: toLine(line, frame, info),
    scanPath: null,
  };
}

/** With equal pan and rotation, the line runs through the middle of the frame and is as long as its own scan field. */
function toLine(line: LifImage, frame: LifImage, { sizes }: SceneInfo): ReferenceInfo['lineRoi'] {
  const [lineX, frameX] = [line.layout.columns.raw, frame.layout.columns.raw];
  if (!lineX || !frameX || lineX.unit !== frameX.unit || !(Math.abs(frameX.length) > 0)) return null;
  const half = ((Math.abs(lineX.length) / Math.abs(frameX.length)) * (frameX.count - 1)) / 2;
  if (!Number.isFinite(half) || half === 0) return null;
  const [x, y] = [(frameX.count - 1) / 2, ((frame.layout.rows.raw?.count ?? sizes.Y) - 1) / 2];
  return [x - half, y, x + half, y];
}
