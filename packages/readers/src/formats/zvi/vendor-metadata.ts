import { toIsoUtc } from '../../model/metadata/dates.js';
import type { MetadataList } from '../../model/metadata-list.js';
import type { ZviScene } from './arrange.js';
import type { RawZvi } from './parse.js';
import { DAY_ZERO, type PlaneTags, SECONDS_PER_DAY } from './plane-tags.js';
import { TAG_NAMES } from './tag-names.js';
import { TAG, type TagList } from './tags.js';
import { DATE, type TypedValue } from './values.js';

/** Lists the tags of the image, then those of each plane of a scene. Empty ones are left out. */
export function listMetadata(zvi: RawZvi, { planes }: ZviScene, planeTags: PlaneTags, list: MetadataList): void {
  addTags(list, '', zvi.tags);
  for (const plane of planes) {
    if (list.isFull) return;
    if (plane.storage !== 'Image') addTags(list, `${plane.storage.replace(/^Image\//, '')}/`, planeTags.of(plane));
  }
}

function addTags(list: MetadataList, prefix: string, { tags }: TagList): void {
  for (const [id, typed] of tags) {
    const text = describe(id, typed);
    if (text !== '') list.add(`${prefix}${TAG_NAMES[id] ?? `Tag ${id}`}`, text);
  }
}

/** Times since the first plane are of the type of dates. */
function describe(id: number, { type, value }: TypedValue): string {
  if (value === undefined || value instanceof Uint8Array) return '';
  if (type !== DATE || typeof value !== 'number' || value < 1) return String(value);
  const clock = toIsoUtc((value + DAY_ZERO) * SECONDS_PER_DAY * 1000)?.replace('Z', '');
  return id === TAG.relativeTime ? String(value) : (clock ?? String(value));
}
