/**
 * The overview of a line scan. The format does not link one to the other; what ties them together are equal settings:
 * the nearest earlier frame of the same folder, at the same stage position, focus, objective, pan and rotation.
 */
import type { ReferenceInfo, SceneInfo } from '../../acquisition.js';
import { entriesOf } from './layout.js';
import type { RawSettings } from './settings.js';
import type { LifImage } from './types.js';

/** Differences up to which two settings are one, in metres and degrees. */
const SAME = { stage: 1e-7, focus: 1e-6, pan: 1e-8, rotation: 1e-6 };

/** Images between a line scan and its overview; the search ends there. */
const MOST_BETWEEN = 1000;

/** Frame that the line scan `images[index]` was taken in; `undefined` for none, or for anything that is no line scan. */
export function findReference(images: readonly LifImage[], index: number): LifImage | undefined {
  const line = images[index] as LifImage;
  const { layout, raw } = line;
  if (layout.rowAxis !== 'T' || layout.columns.count < 2 || !raw.settings) return undefined;
  for (let i = index - 1; i >= Math.max(0, index - MOST_BETWEEN); i--) {
    const other = images[i] as LifImage;
    if (other.raw.folder !== raw.folder || !isFrame(other)) continue;
    if (other.raw.settings && sameField(other.raw.settings, raw.settings)) return other;
  }
  return undefined;
}

function isFrame({ layout }: LifImage): boolean {
  const { rowAxis, rows, columns, z, folded } = layout;
  return rowAxis === 'Y' && rows.count > 1 && columns.count > 1 && z.count === 1 && entriesOf(folded) === 1;
}

function sameField(a: RawSettings, b: RawSettings): boolean {
  const near = (x: number, y: number, limit: number) => Math.abs(x - y) <= limit;
  return (
    a.objective !== '' &&
    a.objective === b.objective &&
    a.orientation === b.orientation &&
    near(a.stageX, b.stageX, SAME.stage) &&
    near(a.stageY, b.stageY, SAME.stage) &&
    near(a.zPosition, b.zPosition, SAME.focus) &&
    near(a.panX, b.panX, SAME.pan) &&
    near(a.panY, b.panY, SAME.pan) &&
    near(a.rotation, b.rotation, SAME.rotation)
  );
}

/** With equal pan and rotation the line runs through the middle of the frame, as long as its own field. */
export function toReference(line: LifImage, frame: LifImage, info: SceneInfo): ReferenceInfo {
  const { sampleType, channels, sizes, steps } = info;
  return {
    sampleType,
    channels,
    sizes: { Y: sizes.Y, X: sizes.X },
    steps: { Y: steps.Y, X: steps.X },
    lineRoi: lineOf(line, frame, info),
    scanPath: null,
  };
}

function lineOf(line: LifImage, frame: LifImage, { sizes }: SceneInfo): ReferenceInfo['lineRoi'] {
  const [own, whole] = [line.layout.columns.raw, frame.layout.columns.raw];
  if (!own || !whole || own.unit !== whole.unit || !(Math.abs(whole.length) > 0)) return null;
  const half = ((Math.abs(own.length) / Math.abs(whole.length)) * (whole.count - 1)) / 2;
  if (!Number.isFinite(half) || half === 0) return null;
  const [x, y] = [(whole.count - 1) / 2, ((frame.layout.rows.raw?.count ?? sizes.Y) - 1) / 2];
  return [x - half, y, x + half, y];
}
