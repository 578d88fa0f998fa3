/** Shows an acquisition that the server has opened, in its own tab or in the tab that already has it. */

import type { CalibrationOverride } from '@acquisition-store/client/contract/calibration.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { batch, type Signal } from '@preact/signals';
import { drawThumbnail } from '../files/thumbnail.ts';
import type { OpenedAcquisition } from '../model/client.ts';
import { findColorChannels } from '../model/color-image.ts';
import type { ChannelView, Shape } from '../model/document.ts';
import { toParts } from '../stack/interpret.ts';
import { Kymograph } from '../stack/kymograph.ts';
import { readCalibration } from './calibrations.ts';
import { allChannels, type Loader } from './loading.ts';
import { isAbort } from './notices.ts';
import { looksLikePath } from './path-text.ts';
import { isFar, type Settled } from './planes.ts';
import { type Recent, withPicture, withRecent } from './recents.ts';
import { recallSwitches } from './switches.ts';
import { adopt, createTab, type Tab } from './tab.ts';
import type { Tabs } from './tabs.ts';
import type { Task } from './tasks.ts';
import { applyView, type ViewState } from './view-state.ts';

export interface Opener {
  /**
   * Shows `acquisition` as `view` describes it, and loads its planes. Closes it again when `task` has been canceled.
   * Without `isPlaced`, when nobody has asked for a section, it begins with the middle one.
   */
  show(acquisition: OpenedAcquisition, task: Task, view: ViewState | null, isPlaced?: boolean): Promise<void>;
  /** Adds a tab without showing it, before another one if given. Its planes are loaded when `settled` is used for that. */
  add(
    acquisition: OpenedAcquisition,
    task: Task,
    view: ViewState | null,
    before?: Tab,
  ): Promise<{ tab: Tab; settled: Settled }>;
}

/** @param keepsPictures false where the browser may be used by several users, who must not see each other's files */
export function createOpener(
  tabs: Tabs,
  loader: Loader,
  recents: Signal<readonly Recent[]>,
  keepsPictures: () => boolean,
): Opener {
  function showIn(acquisition: OpenedAcquisition, view: ViewState | null, selection: OpenResponse['selection']) {
    const info = at(acquisition.info, selection);
    const existing = view === null ? tabs.list.value.find((tab) => holds(tab, info)) : undefined;
    return batch(() => {
      const shown = existing ? { tab: existing, settled: replaceIn(existing, acquisition) } : addTab(acquisition, view);
      // As if the user had moved there.
      shown.tab.document.info.value = info;
      return shown;
    });
  }

  function addTab(acquisition: OpenedAcquisition, view: ViewState | null, before?: Tab) {
    const tab = createTab(acquisition);
    if (view) applyView(tab.document, view);
    else recallSwitches(tab.document);
    tabs.add(tab, before);
    return { tab, settled: new Set(channelsWithContrast(tab, view)) };
  }

  return {
    async add(acquisition, task, view, before) {
      const { calibrated, byHand } = await calibrate(acquisition, view, task);
      const added = addTab(calibrated, view, before);
      added.tab.document.calibration.value = byHand;
      return added;
    },
    async show(opened, task, view, isPlaced = view !== null) {
      if (task.signal.aborted) {
        await opened.close();
        task.signal.throwIfAborted();
      }
      const start = isPlaced ? null : middleSection(opened.info);
      // The server keeps a large plane with its session; of others it sends the section that is asked for.
      const isKept = start !== null && isFar(opened, { kind: 'source', shape: planeShape(opened) });
      const acquisition = isKept ? await opened.select({ selection: start }, { signal: task.signal }) : opened;
      const { path } = acquisition.info.source;
      const { calibrated, byHand } = await calibrate(acquisition, view, task);
      const { tab, settled } = showIn(calibrated, view, start ?? calibrated.info.selection);
      rememberFile(recents, acquisition, tab.document.info.value);
      tab.document.calibration.value = byHand;
      tabs.activate(tab);
      await loader.load(tab, task, settled);
      const picture = isFile(acquisition) && keepsPictures() ? pictureOf(tab) : null;
      if (picture !== null) recents.value = withPicture(recents.value, path, picture);
    },
  };
}

const at = (info: OpenResponse, selection: OpenResponse['selection']): OpenResponse =>
  selection === undefined ? info : { ...info, selection };

/**
 * Returns the middle section of a stack, whose first one is often above the specimen, and dark; null when there is none to
 * choose. Sections of a color image stay in their order.
 */
export function middleSection({ header, selection, channels }: OpenResponse): Record<string, number> | null {
  const middle = Math.floor((header.sizes['Z'] ?? 1) / 2);
  if (selection?.['Z'] !== 0 || middle === 0 || findColorChannels(channels) !== null) return null;
  return { ...selection, Z: middle };
}

function planeShape({ info }: OpenedAcquisition): Shape {
  const [rows = 1, columns = 1] = info.plane.shape;
  return [rows, columns];
}

/** A kymograph has no file of its own, and a file that was sent to the server cannot be opened again by its name. */
function isFile(acquisition: OpenedAcquisition): boolean {
  return !(acquisition instanceof Kymograph) && looksLikePath(acquisition.info.source.path);
}

interface Calibrated {
  readonly calibrated: OpenedAcquisition;
  /** Steps that were entered by hand. */
  readonly byHand: CalibrationOverride | null;
}

/**
 * Applies the steps of a link, otherwise those that were entered in this browser. The acquisition stays as it is when
 * the server does not take them any more.
 */
async function calibrate(
  acquisition: OpenedAcquisition,
  view: ViewState | null,
  { signal }: Task,
): Promise<Calibrated> {
  const steps = view?.calibration ?? readCalibration(acquisition.info.source.path);
  if (steps === null || !isFile(acquisition)) return { calibrated: acquisition, byHand: null };
  try {
    return { calibrated: await acquisition.select({ calibration: steps }, { signal }), byHand: steps };
  } catch (error) {
    if (isAbort(error)) throw error;
    return { calibrated: acquisition, byHand: null };
  }
}

/** Replaces the session of a tab by a newly opened one of the same selection, whose planes are loaded again. */
function replaceIn(tab: Tab, acquisition: OpenedAcquisition): Settled {
  const before = tab.document.opened.value;
  const settled = adopt(tab, acquisition);
  for (const channel of allChannels(tab)) channel.load.value = { state: 'waiting' };
  void before.close();
  return settled;
}

function holds(tab: Tab, info: OpenResponse): boolean {
  const { source, ...shown } = tab.document.info.value;
  const same = choiceOf(shown) === choiceOf(info);
  // Files that were sent have only a name, which others may have, too.
  return looksLikePath(source.path) && source.path === info.source.path && same;
}

function choiceOf({ selection, projection, interpret, parts }: Partial<OpenResponse>): string {
  return JSON.stringify([selection, projection, interpret, parts]);
}

/** Channels whose contrast is given by a link. */
function channelsWithContrast({ document }: Tab, view: ViewState | null): ChannelView[] {
  const panes = [
    [document.source.value, view?.source],
    [document.reference.value, view?.reference],
  ] as const;
  return panes.flatMap(
    ([pane, state]) => pane?.channels.filter(({ index }) => state?.displays[index] !== undefined) ?? [],
  );
}

/** Draws what is on screen: the visible channels of a composite, else the first; null while they have no samples. */
function pictureOf({ document }: Tab): string | null {
  const pane = document.source.value;
  const visible = pane.channels.filter(({ display }) => display.value.visible);
  const shown = pane.composite.value ? visible : visible.slice(0, 1);
  const layers = shown.flatMap(({ data, display }) =>
    data.value === null ? [] : [{ samples: data.value, display: display.value }],
  );
  if (layers.length === 0) return null;
  const [rows, columns] = pane.shape;
  return drawThumbnail({ layers, rows, columns, orientation: pane.orientation.value, isStretched: pane.lineScan });
}

/** Adds a file to the list of recent ones, as it is shown. */
export function rememberFile(
  recents: Signal<readonly Recent[]>,
  acquisition: OpenedAcquisition,
  info = acquisition.info,
): void {
  if (isFile(acquisition)) recents.value = withRecent(recents.value, toRecent(info));
}

function toRecent(info: OpenResponse): Recent {
  const { source, channels, header, interpret, parts, selection } = info;
  const indices = channels.map(({ index }) => index);
  return {
    path: source.path,
    name: source.name,
    format: source.format,
    ...(selection ? { selection } : {}),
    ...(indices.length === header.numChannels ? {} : { channels: indices }),
    ...(interpret ? { interpret } : {}),
    ...toParts(parts),
  };
}
