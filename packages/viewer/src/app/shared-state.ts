/**
 * What a page that shows the viewer in a frame shares with it: the place in the file, the contrast and the marks, by names
 * and by numbers from 0, as programs count. What comes from the other page is checked, and ignored when it is invalid.
 */
import { batch } from '@preact/signals';
import { change } from '../contrast/adjust.ts';
import { setMarks } from '../image/pane-state.ts';
import { markPoints, newChange } from '../measure/marks.ts';
import type { ChannelDisplay } from '../model/display.ts';
import {
  type AcquisitionDocument,
  type ChannelView,
  isLoaded,
  MAX_MARKS,
  type Mark,
  type Pane,
} from '../model/document.ts';
import { stackDims } from '../stack/place.ts';
import type { Tab } from './tab.ts';
import { isRecord, toDisplay, toIndex, toMark, toSelection } from './view-state.ts';
import type { Workspace } from './workspace.ts';

export interface SharedState {
  /** Index of the scene, time point and section on screen. */
  readonly selection: Readonly<Record<string, number>>;
  /** By the name of the channel, or by its index where another one has the same name. */
  readonly contrast: Readonly<Record<string, ChannelDisplay>>;
  readonly regions: readonly SharedMark[];
}

/** A mark with its points as (row, column). Whole numbers are edges of samples: a region is `plane[r0:r1, c0:c1]`. */
interface SharedMark extends Pick<Mark, 'id' | 'kind' | 'name' | 'comment' | 'width'> {
  readonly points: readonly (readonly [row: number, column: number])[];
  /** The plane that it belongs to; absent for all. */
  readonly C?: number;
  readonly Z?: number;
  readonly T?: number;
}

const PLANE_DIMS = { C: 'c', Z: 'z', T: 't' } as const;

/** Returns what is on screen. Reads signals, so that an effect runs again when it changes. */
export function readState(document: AcquisitionDocument): SharedState {
  const pane = document.source.value;
  const known = byName(pane).filter(([, channel]) => isLoaded(channel) || channel.stats.value !== null);
  return {
    selection: { ...document.info.value.selection },
    contrast: Object.fromEntries(known.map(([name, { display }]) => [name, display.value])),
    regions: pane.marks.value.map(toShared),
  };
}

/** Shows what the other page has set; parts that it leaves out stay as they are. */
export async function applyState(tab: Tab, workspace: Workspace, given: unknown): Promise<void> {
  if (!isRecord(given)) return;
  const { selection, contrast, regions } = given;
  await move(tab, workspace, toSelection(selection));
  const pane = tab.document.source.peek();
  batch(() => {
    if (isRecord(contrast)) setContrast(pane, contrast);
    if (Array.isArray(regions)) setMarks(pane, toMarks(regions), newChange());
  });
}

async function move(tab: Tab, workspace: Workspace, given: Record<string, number>): Promise<void> {
  const info = tab.document.info.peek();
  const known = info.selection ?? {};
  const { S } = given;
  if (S !== undefined && S !== known['S']) {
    const wanted = Object.entries(given).filter(([dim]) => dim in known);
    await workspace.select(tab, { selection: { ...known, ...Object.fromEntries(wanted) } });
    return;
  }
  for (const dim of stackDims(info)) {
    const index = given[dim];
    if (index !== undefined) workspace.stackOf(tab).go(dim, index);
  }
}

function setContrast(pane: Pane, given: Record<string, unknown>): void {
  for (const [name, channel] of byName(pane)) {
    const wanted = given[name];
    const valid = isRecord(wanted) ? toDisplay({ ...channel.display.peek(), ...wanted }) : undefined;
    if (valid) change(channel, valid);
  }
}

function byName({ channels }: Pane): (readonly [string, ChannelView])[] {
  const isShared = (name: string) => channels.filter((other) => other.name === name).length > 1;
  return channels.map((channel) => [isShared(channel.name) ? String(channel.index) : channel.name, channel]);
}

function toShared(mark: Mark): SharedMark {
  const { id, kind, name, comment, width, plane = {} } = mark;
  const dims = Object.entries(PLANE_DIMS).flatMap(([dim, key]) => {
    const number = plane[key];
    return number === undefined ? [] : [[dim, number - 1] as const];
  });
  return {
    id,
    kind,
    points: markPoints(mark).map(({ row, column }) => [row, column]),
    ...(name === undefined ? {} : { name }),
    ...(comment === undefined ? {} : { comment }),
    ...(width === undefined ? {} : { width }),
    ...Object.fromEntries(dims),
  };
}

/** Returns the valid ones of the marks. One without an id gets the next number. */
function toMarks(regions: readonly unknown[]): readonly Mark[] {
  const some = regions.slice(0, MAX_MARKS).filter(isRecord);
  const taken = new Set(some.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
  let last = 0;
  const nextId = () => {
    do last += 1;
    while (taken.has(String(last)));
    return String(last);
  };
  const marks: Mark[] = [];
  for (const region of some) {
    const mark = fromShared({ ...region, id: typeof region['id'] === 'string' ? region['id'] : nextId() });
    // An id is the mark: of two with the same one, the second would follow the first.
    if (mark && !marks.some(({ id }) => id === mark.id)) marks.push(mark);
  }
  return marks;
}

function fromShared({ points, ...parts }: Record<string, unknown>): Mark | undefined {
  if (!Array.isArray(points) || points.length === 0 || !points.every(Array.isArray)) return undefined;
  const all = points.map(([row, column]) => ({ row, column }));
  const plane = Object.entries(PLANE_DIMS).flatMap(([dim, key]) => {
    const index = toIndex(parts[dim]);
    return index === undefined ? [] : [[key, index + 1] as const];
  });
  return toMark({
    ...parts,
    from: all[0],
    to: all.at(-1),
    via: all.slice(1, -1),
    ...(plane.length > 0 ? { plane: Object.fromEntries(plane) } : {}),
  });
}
