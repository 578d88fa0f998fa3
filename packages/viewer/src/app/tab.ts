/** One opened acquisition, with its state in the page. */

import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { batch, type Signal, signal } from '@preact/signals';
import { setPlane } from '../image/lines.ts';
import type { Live } from '../live/live.ts';
import type { OpenedAcquisition } from '../model/client.ts';
import {
  type AcquisitionDocument,
  type ChannelView,
  createDocument,
  createPane,
  isLoaded,
  type Pane,
} from '../model/document.ts';
import type { LoadedPlane } from './planes.ts';
import { rememberRanges } from './projection-ranges.ts';
import { applyPane, capturePane } from './view-state.ts';

export interface SessionState {
  /** `asking`: not known yet; `ended`: expired, deleted, or lost in a restart of the server. */
  readonly state: 'asking' | 'live' | 'ended';
  /** In milliseconds, as `Date.now()`. */
  readonly endsAt: number;
  readonly totalBytes: number | null;
}

export interface Tab {
  readonly document: AcquisitionDocument;
  readonly session: Signal<SessionState>;
  /** Names of all channels opened so far, by index. A response contains only the opened channels. */
  readonly names: Signal<ReadonlyMap<number, string>>;
  /** Aborted when the tab is closed; ends transfers and statistics. */
  readonly ending: AbortController;
  /** Set while the page follows the recording of the file. */
  readonly live: Signal<Live | null>;
}

const ASKING: SessionState = { state: 'asking', endsAt: 0, totalBytes: null };

export function createTab(acquisition: OpenedAcquisition): Tab {
  const document = createDocument(acquisition);
  const tab: Tab = {
    document,
    session: signal(ASKING),
    names: signal(mergeNames(acquisition.info, new Map())),
    ending: new AbortController(),
    live: signal(null),
  };
  follow(tab, acquisition);
  return tab;
}

/**
 * Shows another selection of the same file in a tab. View and contrast are kept where the geometry is the same; the old
 * planes stay on screen until the new ones have loaded.
 * @returns channels that keep their contrast
 */
export function adopt(tab: Tab, acquisition: OpenedAcquisition): Set<ChannelView> {
  const { document } = tab;
  const { info } = acquisition;
  const before = document.info.value;
  const planes = ({ selection, interpret, parts }: OpenResponse) => JSON.stringify([selection, interpret, parts]);
  const sameSelection = planes(before) === planes(info);
  const shown = document.reference.value;
  const keep = rememberRanges(document.source.value, before);
  const settled = batch(() => {
    const source = nextPane(document.source.value, info, sameSelection);
    const reference = info.reference && shown ? nextPane(shown, info.reference, sameSelection) : null;
    document.opened.value = acquisition;
    document.info.value = info;
    document.source.value = source.pane;
    document.reference.value = reference?.pane ?? newReference(info);
    tab.session.value = ASKING;
    tab.names.value = mergeNames(info, tab.names.value);
    return [...keep(source, info), ...(reference?.settled ?? [])];
  });
  follow(tab, acquisition);
  return new Set(settled);
}

/** Planes of an acquisition that went on. */
export interface NextPlanes {
  readonly planes: ReadonlyMap<ChannelView, LoadedPlane>;
  /** The open response, with the time point and section that they are of. */
  readonly info: OpenResponse;
  /** True when the visible part of a line scan moves on to its last line. */
  readonly followsLines: boolean;
}

/**
 * Shows planes of the same file, which has more of them than before. Everything that the user has set stays, and the
 * picture changes at once. Channels without a plane are read later.
 */
export function goOn(tab: Tab, acquisition: OpenedAcquisition, next: NextPlanes): void {
  const { document } = tab;
  const pane = document.source.peek();
  const { info } = next;
  const count = (info.header.sizes['T'] ?? 1) * (info.header.sizes['Z'] ?? 1);
  batch(() => {
    document.opened.value = acquisition;
    document.info.value = info;
    setPlane(pane, info.plane, next.followsLines);
    for (const channel of pane.channels) {
      const { data = null, far = null } = next.planes.get(channel) ?? {};
      channel.coming.value = null;
      channel.far.value?.release();
      channel.far.value = far;
      channel.data.value = data;
      channel.load.value = { state: data === null && far === null ? 'waiting' : 'ready' };
      const range = channel.stackRange.peek();
      if (range !== null) channel.stackRange.value = { ...range, planes: count };
    }
    pane.countsStack.value = false;
    tab.session.value = ASKING;
    tab.names.value = mergeNames(info, tab.names.value);
  });
  follow(tab, acquisition);
}

function newReference({ reference }: OpenResponse): Pane | null {
  return reference && createPane('reference', reference);
}

/** Updates the info of a tab when its file was opened again in a new session. */
function follow(tab: Tab, acquisition: OpenedAcquisition): void {
  acquisition.onReopened = (info) => {
    // The session begins with the plane that was opened; the shown one may be another.
    const { selection } = tab.document.info.value;
    tab.document.info.value = { ...info, ...(selection ? { selection } : {}) };
  };
}

type Planes = Parameters<typeof createPane>[1];

interface NextPane {
  readonly pane: Pane;
  /** Channels that keep their contrast. */
  readonly settled: readonly ChannelView[];
}

/** Returns the pane for newly opened planes: the one on screen where shape, axes and channels are the same. */
function nextPane(shown: Pane, next: Planes, sameSelection: boolean): NextPane {
  const sameShape = shown.shape.every((size, axis) => size === next.plane.shape[axis]);
  const sameAxes = JSON.stringify(shown.plane.axes) === JSON.stringify(next.plane.axes);
  if (sameShape && sameAxes && indicesOf(shown) === indicesOf(next)) return reusePane(shown, sameSelection);
  const known = new Map(shown.channels.map((channel) => [channel.index, channel]));
  const pane = createPane(shown.kind, next, sameShape && sameSelection ? known : undefined);
  const snapshot = capturePane(shown);
  const { smoothing, orthogonal } = snapshot;
  const kept = { ...(smoothing ? { smoothing } : {}), ...(orthogonal ? { orthogonal } : {}) };
  applyPane(pane, sameShape ? snapshot : { ...kept, views: {}, displays: {}, toggles: snapshot.toggles, marks: [] });
  const settled = pane.channels.filter(({ index }) => sameShape && known.has(index) && isLoaded(known.get(index)!));
  return { pane, settled };
}

function reusePane(pane: Pane, sameSelection: boolean): NextPane {
  const settled = pane.channels.filter(isLoaded);
  if (!sameSelection) for (const { load } of pane.channels) load.value = { state: 'waiting' };
  return { pane, settled };
}

function indicesOf({ channels }: { readonly channels: readonly { readonly index: number }[] }): string {
  return channels.map(({ index }) => index).join();
}

function mergeNames({ channels }: OpenResponse, known: ReadonlyMap<number, string>): ReadonlyMap<number, string> {
  return new Map([...known, ...channels.map(({ index, name }) => [index, name] as const)]);
}
