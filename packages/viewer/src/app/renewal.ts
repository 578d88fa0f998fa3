/** Opens the file of a tab again as it is now, and shows it there. */

import { AcqClientError, hasCode } from '@acquisition-store/client';
import type { Interpretation } from '@acquisition-store/client/contract/interpretation.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { batch } from '@preact/signals';
import { showsLastLine } from '../image/lines.ts';
import { changeWords, isContinued } from '../live/change.ts';
import { isAtNewest, placeIn } from '../live/newest.ts';
import type { OpenedAcquisition, SelectChoice } from '../model/client.ts';
import type { ChannelView, Shape } from '../model/document.ts';
import { fitPlanes, MEANINGS, planeCounts } from '../stack/interpret.ts';
import { readMeasured } from '../stack/measured.ts';
import { fileDims, type Place, planePlace, samePlace, selectionAt, stackDims } from '../stack/place.ts';
import type { Stack } from '../stack/stack.ts';
import { countLoaded } from './counting.ts';
import { allChannels, type Loader } from './loading.ts';
import type { Notices } from './notices.ts';
import { isFar, type LoadedPlane, readPlane, type Settled } from './planes.ts';
import { adopt, goOn, type Tab } from './tab.ts';
import type { Task } from './tasks.ts';

export interface RenewalParts {
  readonly loader: Loader;
  readonly notices: Notices;
  stackOf(tab: Tab): Stack;
}

/**
 * Opens the file of a tab again as it was opened before. Where the recording went on, its newest plane is shown if the
 * newest was on screen, otherwise the same place, and the picture stays until the planes have come. Another acquisition
 * in its place is shown with a notice. The session before is ended, and no other one is left.
 * @returns the place of the newest plane if that is shown now, otherwise null
 * @throws AcqClientError when the file cannot be read, and an abort when the user has chosen something else; everything
 * stays as it was then
 */
export async function renew(tab: Tab, task: Task, parts: RenewalParts): Promise<Place | null> {
  const { document } = tab;
  parts.loader.begin(tab, task);
  const [before, info] = [document.opened.peek(), document.info.peek()];
  const stop = AbortSignal.any([task.signal, tab.ending.signal]);
  const wanted = parts.stackOf(tab).wanted.peek();
  const shown = tab.live.peek()?.shown;
  const isAt = isAtNewest(document, wanted, shown);
  // This is not aborted: nobody would end the session of an answer that does not arrive.
  let next = await openNow(before, info, isAt && fileDims(info).length > 0 ? 'later' : 'small');
  let settled: Settled | null = null;
  const place = placeIn(next.info, info, wanted, shown);
  try {
    stop.throwIfAborted();
    if (isContinued(info, next.info, document.source.peek().lineScan)) {
      const read = await readNext(tab, next, place, stop);
      next = read.next;
      showNext(tab, read, wanted, parts);
    } else settled = replace(tab, next, place, parts);
  } catch (error) {
    await next.close();
    throw error;
  }
  await before.close();
  if (settled !== null) await parts.loader.load(tab, task, settled);
  return isAt ? place : null;
}

/** Codes of a choice that the file does not have any more. */
const OUTDATED = [
  'selection_out_of_range',
  'channel_out_of_range',
  'invalid_channel_indices',
  'request_validation_failed',
] as const;

/** Nothing of how it was opened. */
const WHOLE = { selection: {}, projection: null, interpret: null, channelIndices: null } as const;

/** Opens what is shown; all of it where the file does not have that any more. */
async function openNow(
  before: OpenedAcquisition,
  { interpret, selection }: OpenResponse,
  decode: 'later' | 'small',
): Promise<OpenedAcquisition> {
  const choice = { decode, ...(selection ? { selection } : {}) };
  try {
    return interpret?.axes === undefined
      ? await before.openAgain(choice)
      : await openInterpreted(before, interpret, choice);
  } catch (error) {
    if (!OUTDATED.some((code) => hasCode(error, code))) throw error;
    return before.openAgain({ decode: 'later', ...WHOLE });
  }
}

/** What the user said of the planes names their number, which has changed: there are more time points, or sections. */
async function openInterpreted(
  before: OpenedAcquisition,
  interpret: Interpretation,
  choice: SelectChoice,
): Promise<OpenedAcquisition> {
  const plain = await before.openAgain({ decode: 'later', ...WHOLE });
  try {
    const counts = planeCounts(plain.info);
    const meaning = (['T', 'Z', 'C'] as const).filter((axis) => (interpret.axes?.[axis] ?? 1) > 1).join('');
    const known = MEANINGS.find((one) => one === meaning);
    const axes = known && fitPlanes(known, { ...counts, ...interpret.axes }, counts);
    // The last frame is not complete.
    if (typeof axes === 'string') throw new AcqClientError('decode_failed', `${plain.info.source.name}: ${axes}`);
    return await before.openAgain({ ...choice, interpret: axes ? { ...interpret, axes } : interpret });
  } finally {
    await plain.close();
  }
}

interface Read {
  readonly next: OpenedAcquisition;
  readonly place: Place;
  readonly planes: ReadonlyMap<ChannelView, LoadedPlane>;
}

/**
 * Reads what will be on screen. A file that is written to all the time may have changed since it was opened: then the
 * server opens it again and reads the planes of this place at once, and `next` is closed.
 */
async function readNext(tab: Tab, next: OpenedAcquisition, place: Place, stop: AbortSignal): Promise<Read> {
  const read = async (acquisition: OpenedAcquisition): Promise<Read> => {
    const shown = readShown(tab, acquisition, place, stop);
    const [planes] = await Promise.all([shown, readMeasured(acquisition, stop)]);
    stop.throwIfAborted();
    return { next: acquisition, place, planes };
  };
  try {
    return await read(next);
  } catch (error) {
    if (!hasCode(error, 'source_changed')) throw error;
  }
  const { selection } = at(next.info, place);
  const whole = await next.openAgain({ decode: 'small', ...(selection ? { selection } : {}) });
  try {
    const done = await read(whole);
    await next.close();
    return done;
  } catch (error) {
    await whole.close();
    throw error;
  }
}

/** Shows what was read in one step. */
function showNext(tab: Tab, { next, place, planes }: Read, wanted: Place, parts: RenewalParts): void {
  const stack = parts.stackOf(tab);
  const moved = stack.wanted.peek();
  const pane = tab.document.source.peek();
  goOn(tab, next, { info: at(next.info, place), planes, followsLines: showsLastLine(pane) });
  // The user has moved in the meantime.
  if (!samePlace(moved, wanted)) for (const dim of stackDims(next.info)) stack.go(dim, moved[dim]);
  if (pane.channels.some(({ far }) => far.peek() !== null)) {
    void countLoaded(tab, new Set(allChannels(tab)));
  } else stack.complete();
}

/** Reads the visible channels; of large planes, which come as overviews, all. */
async function readShown(
  tab: Tab,
  next: OpenedAcquisition,
  place: Place,
  signal: AbortSignal,
): Promise<ReadonlyMap<ChannelView, LoadedPlane>> {
  const [rows = 1, columns = 1] = next.info.plane.shape;
  const plane = { kind: 'source', shape: [rows, columns] as Shape } as const;
  const all = isFar(next, plane);
  const channels = tab.document.source.peek().channels.filter(({ display }) => all || display.peek().visible);
  const read = async (channel: ChannelView) => {
    const request = { kind: 'source', channel: channel.index, ...planePlace(next.info, place) } as const;
    return [channel, await readPlane(next, plane, request, { signal })] as const;
  };
  return new Map(await Promise.all(channels.map(read)));
}

/** Shows another acquisition that has the name of the one before. Returns the channels that keep their contrast. */
function replace(tab: Tab, next: OpenedAcquisition, place: Place, { notices }: RenewalParts): Settled {
  const before = tab.document.info.peek();
  return batch(() => {
    const settled = adopt(tab, next);
    tab.document.info.value = at(next.info, place);
    for (const { load } of allChannels(tab)) load.value = { state: 'waiting' };
    notices.show({ message: changeWords(before, next.info) });
    return settled;
  });
}

/** Returns the open response with another time point and section, as if the user had moved there. */
function at(info: OpenResponse, place: Place): OpenResponse {
  return info.selection ? { ...info, selection: selectionAt(info, place) } : info;
}
