/** Lists of tags: of the image, and of each plane. */

import { AcqError, decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import type { OleFile } from '../../io/ole.js';
import { type TypedValue, ValueReader } from './values.js';

/** Numbers of the tags that are used. */
export const TAG = {
  relativeTime: 300,
  width: 515,
  height: 516,
  scaleX: 769,
  unitX: 770,
  scaleY: 772,
  unitY: 773,
  scaleZ: 775,
  unitZ: 776,
  acquired: 1025,
  camera: 1042,
  color: 1282,
  channelName: 1284,
  objective: 2049,
  focus: 2072,
  stageX: 2073,
  stageY: 2074,
  microscope: 2075,
  magnification: 2076,
  aperture: 2077,
  immersion: 2105,
  exposure: 2564,
  excitation: 16_777_488,
  emission: 16_777_489,
} as const;

export interface TagList {
  /** By number; of several with one number the first. */
  readonly tags: ReadonlyMap<number, TypedValue>;
  /** Why the list ends before its last tag. */
  readonly stopped?: AcqError;
}

const EMPTY: TagList = { tags: new Map() };

/** Reads the tags of a storage; none when it has no list, and those before a damaged one. */
export function readTags(ole: OleFile, storage: string): TagList {
  const tags = new Map<number, TypedValue>();
  try {
    const path = `${storage}/Tags/Contents`;
    const size = ole.streams.get(path)?.size;
    if (size === undefined) return EMPTY;
    if (size > LIMITS.zviTagBytes) {
      throw decodeFailed(`the list of tags has ${grouped(size)} bytes; the limit is ${grouped(LIMITS.zviTagBytes)}`);
    }
    const reader = new ValueReader(ole.open(path)!.read(0, size));
    reader.integer('the version');
    const count = reader.integer('the number of tags');
    for (let i = 0; i < count; i++) {
      const value = reader.next();
      const id = reader.integer('the number of a tag');
      reader.integer('the attribute of a tag');
      if (!tags.has(id)) tags.set(id, value);
    }
    return { tags };
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    return { tags, stopped: error };
  }
}

/** Returns the value of a tag if it is a finite number. */
export function numberOf({ tags }: TagList, id: number): number | undefined {
  const value = tags.get(id)?.value;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Returns the value of a tag if it is a text that is not empty. */
export function textOf({ tags }: TagList, id: number): string | undefined {
  const value = tags.get(id)?.value;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
