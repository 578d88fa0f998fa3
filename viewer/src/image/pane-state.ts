import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ChannelView, Pane } from '../model/document.ts';
import { displaySize, type Orientation, type PlanePoint, type Rect, type Size } from '../model/geometry.ts';
import { planeAxes, specimenRatio } from './plane-axes.ts';
import { emptyHistory, type History, recordStep, redoStep, undoStep } from './view-history.ts';
import { type Frame, homeView, isHome, reorient, settle } from './viewport.ts';

export type Views = ReadonlyMap<string, Rect>;

/** Key of `views` while the cards of a pane are linked. */
export const SHARED = 'shared';
export const COMPOSITE = 'composite';

/** Where the image of a card is, in CSS pixels; `left` and `top` from the corner of the pane's view. */
export interface CardArea extends Size {
  readonly left: number;
  readonly top: number;
}

/** What the cards of a pane know beyond the document. */
export interface PaneState {
  /** By card, in their order. A card that is not on screen is absent. */
  readonly areas: Signal<ReadonlyMap<string, CardArea>>;
  readonly history: Signal<History<Views>>;
  /** Where the cursor was put by a click or by keys; it returns there when the pointer leaves. */
  readonly anchor: Signal<PlanePoint | null>;
  /** Indices of the visible channels, joined: contrast changes it not. */
  readonly visible: ReadonlySignal<string>;
  /** The card that was used last. */
  readonly activeCard: Signal<string | null>;
  /** The last change, into which the next one of its kind merges while it follows at once. */
  last: ViewChange | null;
}

export interface ViewChange {
  /** Changes of one kind that follow within `MERGE_MS` are one step of undo. */
  readonly kind: string;
  /** Milliseconds, any origin. */
  readonly at: number;
}

const MERGE_MS = 700;
const states = new WeakMap<Pane, PaneState>();

export function paneState(pane: Pane): PaneState {
  let state = states.get(pane);
  if (state === undefined) {
    state = {
      areas: signal(new Map()),
      history: signal(emptyHistory<Views>()),
      anchor: signal(null),
      visible: computed(() =>
        pane.channels
          .filter(({ display }) => display.value.visible)
          .map(({ index }) => index)
          .join(),
      ),
      activeCard: signal(null),
      last: null,
    };
    states.set(pane, state);
  }
  return state;
}

/** Keys of the cards that the pane shows, in their order. */
export function cardKeys(pane: Pane): string[] {
  return isComposite(pane) ? [COMPOSITE] : visibleChannels(pane).map(({ index }) => String(index));
}

export function isComposite(pane: Pane): boolean {
  return pane.composite.value && pane.channels.length > 1;
}

export function visibleChannels(pane: Pane): ChannelView[] {
  const visible = paneState(pane).visible.value.split(',');
  return pane.channels.filter(({ index }) => visible.includes(String(index)));
}

/** Null when the axes are measured in different units, or not at all: then there is no true shape. */
export function trueRatio(pane: Pane): number | null {
  const axes = planeAxes(pane);
  return axes.row.calibrated || pane.lineScan ? specimenRatio(axes) : null;
}

/** Stretched images stand so that they share the axis of their lines: one above the other when lines run to the right. */
export function sharesColumn(pane: Pane): boolean {
  return isStretched(pane) && pane.orientation.value.transposed;
}

/** Each axis fills the card on its own: a line scan, unless its true shape is shown. */
export function isStretched(pane: Pane): boolean {
  return pane.lineScan && !(pane.physicalAspect.value && trueRatio(pane) !== null);
}

export function frameOf(pane: Pane, card: Size): Frame {
  const { transposed } = pane.orientation.value;
  const ratio = pane.physicalAspect.value ? trueRatio(pane) : null;
  const upright = ratio ?? (pane.lineScan ? 'fill' : 1);
  return {
    image: displaySize(pane.shape, pane.orientation.value),
    card,
    fit: upright === 'fill' ? upright : transposed ? 1 / upright : upright,
  };
}

/** What a card shows; null while it is not on screen. */
export function cardView(pane: Pane, card: string): Rect | null {
  const area = paneState(pane).areas.value.get(card);
  return area === undefined ? null : viewIn(pane, card, area);
}

/** What a card of this size shows. */
export function viewIn(pane: Pane, card: string, size: Size): Rect {
  const frame = frameOf(pane, size);
  const wanted = pane.views.value.get(pane.linked.value ? SHARED : card);
  return wanted === undefined ? homeView(frame) : settle(wanted, frame);
}

export function setView(pane: Pane, card: string, view: Rect, change: ViewChange): void {
  const area = paneState(pane).areas.value.get(card);
  const next = new Map(pane.views.value);
  const key = pane.linked.value ? SHARED : card;
  if (area !== undefined && isHome(view, frameOf(pane, area))) next.delete(key);
  else next.set(key, view);
  commit(pane, next, change);
}

export function goHome(pane: Pane, card: string): void {
  const next = new Map(pane.views.value);
  next.delete(pane.linked.value ? SHARED : card);
  commit(pane, next, { kind: 'home', at: Number.NEGATIVE_INFINITY });
}

function commit(pane: Pane, next: Views, change: ViewChange): void {
  const before = pane.views.value;
  if (sameViews(before, next)) return;
  const state = paneState(pane);
  const merges = state.last?.kind === change.kind && change.at - state.last.at < MERGE_MS;
  state.last = change;
  batch(() => {
    if (!merges) state.history.value = recordStep(state.history.value, before);
    pane.views.value = next;
  });
}

function sameViews(a: Views, b: Views): boolean {
  if (a.size !== b.size) return false;
  for (const [key, { x, y, width, height }] of a) {
    const other = b.get(key);
    if (other === undefined || other.x !== x || other.y !== y || other.width !== width || other.height !== height) {
      return false;
    }
  }
  return true;
}

export function undoView(pane: Pane): void {
  step(pane, undoStep);
}

export function redoView(pane: Pane): void {
  step(pane, redoStep);
}

function step(pane: Pane, move: typeof undoStep<Views>): void {
  const state = paneState(pane);
  const found = move(state.history.value, pane.views.value);
  if (found === null) return;
  state.last = null;
  batch(() => {
    state.history.value = found.history;
    pane.views.value = found.state;
  });
}

/** Turns or flips the pane; every view, also those that undo returns to, shows the part of the plane that it showed. */
export function setOrientation(pane: Pane, to: Orientation): void {
  const from = pane.orientation.value;
  const turned = (views: Views): Views =>
    new Map([...views].map(([key, view]) => [key, reorient(view, pane.shape, from, to)]));
  const state = paneState(pane);
  batch(() => {
    const { past, future } = state.history.value;
    state.history.value = { past: past.map(turned), future: future.map(turned) };
    pane.views.value = turned(pane.views.value);
    pane.orientation.value = to;
  });
}

/** Linked, all cards take the view of the one used last; unlinked, each starts from the common one. */
export function setLinked(pane: Pane, linked: boolean): void {
  if (linked === pane.linked.value) return;
  const state = paneState(pane);
  const next = new Map<string, Rect>();
  if (linked) {
    const view = pane.views.value.get(activeCard(pane));
    if (view !== undefined) next.set(SHARED, view);
  } else {
    const view = pane.views.value.get(SHARED);
    if (view !== undefined) {
      for (const key of [COMPOSITE, ...pane.channels.map(({ index }) => String(index))]) next.set(key, view);
    }
  }
  batch(() => {
    // Steps of the other kind would move cards that nobody touched.
    state.history.value = emptyHistory();
    state.last = null;
    pane.views.value = next;
    pane.linked.value = linked;
  });
}

/** The card that buttons and keys mean. */
export function activeCard(pane: Pane): string {
  const keys = cardKeys(pane);
  const last = paneState(pane).activeCard.value;
  return last !== null && keys.includes(last) ? last : (keys[0] ?? COMPOSITE);
}

/** Image area of the first card of a pane, with what it shows: for what is drawn in line with it. */
export interface ImageArea extends CardArea {
  readonly view: Rect;
}

const imageAreas = new WeakMap<Pane, ReadonlySignal<ImageArea | null>>();

export function imageAreaOf(pane: Pane): ReadonlySignal<ImageArea | null> {
  let found = imageAreas.get(pane);
  if (found === undefined) {
    found = computed(() => {
      const [key] = cardKeys(pane);
      const area = key === undefined ? undefined : paneState(pane).areas.value.get(key);
      return key === undefined || area === undefined ? null : { ...area, view: viewIn(pane, key, area) };
    });
    imageAreas.set(pane, found);
  }
  return found;
}
