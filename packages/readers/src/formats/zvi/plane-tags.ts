/** What the tags say of single planes. */

import { Notes } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import type { PlaneColumns } from '../../model/acquisition.js';
import { collectColumns, type PlaneValues } from '../../model/metadata/plane-columns.js';
import type { StoredPlace, ZviScene } from './arrange.js';
import type { RawPlane, RawZvi } from './parse.js';
import { numberOf, readTags, TAG, type TagList } from './tags.js';

export const SECONDS_PER_DAY = 86_400;
/** The day 0 of OLE Automation, 1899-12-30, in days since 1970. */
export const DAY_ZERO = -25_569;
/** Lists of tags that are kept. */
const MAX_KNOWN = 1024;
/** Share of the size of an image by which a position may miss its middle and still be it. */
const SAME = 1e-6;

/** Which tag has the times of planes. */
type Clock = typeof TAG.relativeTime | typeof TAG.acquired;

/** Reads the values of the planes of a scene. */
export class PlaneTags {
  /** What was wrong with the tags that were read. */
  readonly notes = new Notes();
  private readonly zvi: RawZvi;
  private readonly scene: ZviScene;
  private readonly known = new Map<string, TagList>();
  private readonly clock: Clock;
  private readonly hasStage: boolean;

  constructor(zvi: RawZvi, scene: ZviScene) {
    this.zvi = zvi;
    this.scene = scene;
    const [first, last] = [scene.planes[0]!, scene.planes.at(-1)!].map((plane) => this.of(plane)) as [TagList, TagList];
    const differs = (id: Clock) => numberOf(first, id) !== numberOf(last, id);
    this.clock = !differs(TAG.relativeTime) && differs(TAG.acquired) ? TAG.acquired : TAG.relativeTime;
    this.hasStage = !isMiddle(zvi.tags, first, scene);
  }

  /** Returns the tags of a plane; none of a plane that does not exist. */
  of(plane: RawPlane | undefined): TagList {
    if (!plane) return { tags: new Map() };
    const known = this.known.get(plane.storage);
    if (known) return known;
    const { ole, tags } = this.zvi;
    const own = plane.storage === 'Image' ? tags : readTags(ole, plane.storage);
    if (own.stopped) this.notes.add(quoteError(`The tags of ${plane.storage} can be read only in part`, own.stopped));
    // Those of many planes are read once, for the columns.
    if (this.known.size < MAX_KNOWN) this.known.set(plane.storage, own);
    return own;
  }

  /** Returns seconds, exposure and position of a plane. */
  valuesAt(place: StoredPlace): PlaneValues {
    const tags = this.of(this.scene.planeAt(place));
    const days = numberOf(tags, this.clock);
    const position = (id: number) => (this.hasStage ? numberOf(tags, id) : undefined);
    return {
      time: days === undefined ? undefined : Math.round(days * SECONDS_PER_DAY * 1e6) / 1e6,
      exposure: this.exposureOf(tags),
      ...{ x: position(TAG.stageX), y: position(TAG.stageY), z: numberOf(tags, TAG.focus) },
    };
  }

  /** Returns seconds. Snapshots of color cameras have the exposure only among the tags of the image. */
  exposureOf(tags: TagList): number | undefined {
    const own = numberOf(tags, TAG.exposure);
    const milliseconds = own ?? (this.scene.C.length === 1 ? numberOf(this.zvi.tags, TAG.exposure) : undefined);
    return milliseconds !== undefined && milliseconds > 0 ? milliseconds / 1000 : undefined;
  }
}

/** Without a motorized stage, the position of a plane is the middle of the image. */
function isMiddle(image: TagList, plane: TagList, { form }: ZviScene): boolean {
  const isHalf = (position: number, size: number, scale: number) =>
    Math.abs(numberOf(plane, position)! - (size * numberOf(image, scale)!) / 2) <= SAME * size;
  return isHalf(TAG.stageX, form.width, TAG.scaleX) && isHalf(TAG.stageY, form.height, TAG.scaleY);
}

/** Reads the columns of a scene from the tags of its planes. */
export function readColumns(scene: ZviScene, planeTags: PlaneTags): PlaneColumns {
  const { samples } = scene.form;
  const sizes = { T: scene.T.length, Z: scene.Z.length };
  return collectColumns(
    { sizes, channels: { length: scene.C.length * samples } },
    ({ t, z, channel }) => planeTags.valuesAt({ t, z, channel: channel / samples }),
    samples,
  );
}
