import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ChannelView, Mark, Pane } from '../model/document.ts';
import { displaySize, type Orientation, type PlanePoint, type Rect, type Size } from '../model/geometry.ts';
import type { RecordingPause } from '../model/row-layout.ts';
import type { OrthogonalPart } from './orthogonal-part.ts';
import { layoutOf, planeAxes, rowsOf, specimenRatio } from './plane-axes.ts';
import { emptyHistory, type History, recordStep, redoStep, undoStep } from './view-history.ts';
import { type Frame, homeView, isHome, reorient, settle } from './viewport.ts';

type Views = ReadonlyMap<string, Rect>;

/** What undo brings back. */
interface Undoable {
  readonly views: Views;
  readonly marks: readonly Mark[];
}

/** Key of `views` while the cards of a pane are linked. */
const SHARED = 'shared';
export const COMPOSITE = 'composite';

/** Area of a card's image in CSS pixels, relative to the corner of the pane. */
interface CardArea extends Size {
  readonly left: number;
  readonly top: number;
}

/** State that the cards of a pane share and the document does not contain. */
interface PaneState {
  /** By card key, in the order of the cards. A card that is not on screen is absent. */
  readonly areas: Signal<ReadonlyMap<string, CardArea>>;
  readonly history: Signal<History<Undoable>>;
  /** Position of the cursor that was set by a click or by keys. The cursor returns there when the pointer leaves. */
  readonly anchor: Signal<PlanePoint | null>;
  /** The pause under the pointer, where there are no samples; null elsewhere. */
  readonly pause: Signal<RecordingPause | null>;
  /** Indices of the visible channels, joined. A change of contrast does not update it. */
  readonly visible: ReadonlySignal<string>;
  /** What is said of a mark that is drawn with the keyboard, with the cursor at `at`. */
  readonly said: Signal<{ readonly text: string; readonly at: PlanePoint | null } | null>;
  /** Key of the card that was used last. */
  readonly activeCard: Signal<string | null>;
  /** True when the strips below have the labels of the horizontal axis. */
  readonly axisBelow: Signal<boolean>;
  /** Set while the pane is one of three orthogonal pictures. */
  readonly orthogonal: Signal<OrthogonalPart | null>;
  /** True while the menu of the switches is visible. */
  readonly viewMenu: Signal<boolean>;
  /** The last change. One of the same kind that follows soon is merged into it. */
  last: ViewChange | null;
}

export interface ViewChange {
  /** Changes of one kind that follow within `MERGE_MS` are a single undo step. */
  readonly kind: string;
  /** Time in milliseconds, from any origin. */
  readonly at: number;
}

const MERGE_MS = 700;
const states = new WeakMap<Pane, PaneState>();

export function paneState(pane: Pane): PaneState {
  let state = states.get(pane);
  if (state === undefined) {
    state = {
      areas: signal(new Map()),
      history: signal(emptyHistory<Undoable>()),
      anchor: signal(null),
      pause: signal(null),
      visible: computed(() =>
        pane.channels
          .filter(({ display }) => display.value.visible)
          .map(({ index }) => index)
          .join(),
      ),
      said: signal(null),
      activeCard: signal(null),
      axisBelow: signal(false),
      orthogonal: signal(null),
      viewMenu: signal(false),
      last: null,
    };
    states.set(pane, state);
  }
  return state;
}

/** Returns the keys of the shown cards, in their order. */
export function cardKeys(pane: Pane): string[] {
  return isComposite(pane) ? [COMPOSITE] : visibleChannels(pane).map(({ index }) => String(index));
}

/** Orthogonal pictures are composites. */
export function isComposite(pane: Pane): boolean {
  return (pane.composite.value || pane.orthogonal.value.shown) && pane.channels.length > 1;
}

export function visibleChannels(pane: Pane): ChannelView[] {
  const visible = paneState(pane).visible.value.split(',');
  return pane.channels.filter(({ index }) => visible.includes(String(index)));
}

/**
 * Returns the height of a sample divided by its width in the specimen; null when the axes have different or no units.
 */
export function trueRatio(pane: Pane): number | null {
  if (pane.sampleRatio !== undefined) return pane.sampleRatio;
  const axes = planeAxes(pane);
  return axes.row.calibrated || pane.lineScan ? specimenRatio(axes) : null;
}

/** True when stretched images are stacked, so that they share their horizontal time axis. */
export function sharesColumn(pane: Pane): boolean {
  return isStretched(pane) && pane.orientation.value.transposed;
}

/** True when each axis is scaled to fill the card: a line scan, unless its true shape is shown. */
export function isStretched(pane: Pane): boolean {
  return pane.lineScan && !(pane.physicalAspect.value && trueRatio(pane) !== null);
}

export function frameOf(pane: Pane, card: Size): Frame {
  const { transposed } = pane.orientation.value;
  const { shown } = pane.orthogonal.value;
  const ratio = pane.physicalAspect.value || shown ? trueRatio(pane) : null;
  const upright = ratio ?? (pane.lineScan ? 'fill' : 1);
  return {
    image: displaySize(pane.shape, layoutOf(pane)),
    card,
    fit: upright === 'fill' ? upright : transposed ? 1 / upright : upright,
    // A picture through a few sections is zoomed together with the plane.
    ...(pane.sampleRatio === undefined ? {} : { isThin: true }),
  };
}

/** Returns the view of a card; null while the card is not on screen. */
export function cardView(pane: Pane, card: string): Rect | null {
  const area = paneState(pane).areas.value.get(card);
  return area === undefined ? null : viewIn(pane, card, area);
}

/** Returns the view of a card with this size. */
export function viewIn(pane: Pane, card: string, size: Size): Rect {
  const frame = frameOf(pane, size);
  const view = pane.views.value.get(pane.linked.value ? SHARED : card);
  return view === undefined ? homeView(frame) : settle(view, frame);
}

export function setView(pane: Pane, card: string, view: Rect, change: ViewChange): void {
  const area = paneState(pane).areas.value.get(card);
  const next = new Map(pane.views.value);
  const key = pane.linked.value ? SHARED : card;
  if (area !== undefined && isHome(view, frameOf(pane, area))) next.delete(key);
  else next.set(key, view);
  commit(pane, next, change);
}

/** Returns the visible part of a pane, that of the first card when its cards are not linked; null for the whole image. */
export function sharedView(pane: Pane): Rect | null {
  const views = pane.views.value;
  return views.get(SHARED) ?? views.values().next().value ?? null;
}

/** Shows the same part in all cards of a pane, without a step in its history; null shows the whole image. */
export function setSharedView(pane: Pane, view: Rect | null): void {
  const keys = pane.linked.peek() ? [SHARED] : [COMPOSITE, ...pane.channels.map(({ index }) => String(index))];
  pane.views.value = new Map(view === null ? [] : keys.map((key) => [key, view]));
}

export function goHome(pane: Pane, card: string): void {
  const next = new Map(pane.views.value);
  next.delete(pane.linked.value ? SHARED : card);
  commit(pane, next, { kind: 'home', at: Number.NEGATIVE_INFINITY });
}

function commit(pane: Pane, next: Views, change: ViewChange): void {
  if (sameViews(pane.views.value, next)) return;
  batch(() => {
    record(pane, change);
    pane.views.value = next;
  });
}

/** Replaces the marks as one undo step, or as a part of the step before when that is of the same kind and recent. */
export function setMarks(pane: Pane, marks: readonly Mark[], change: ViewChange): void {
  batch(() => {
    record(pane, change);
    pane.marks.value = marks;
  });
}

/** Takes back the step of a change that was canceled, without a way to redo it. */
export function revertChange(pane: Pane, kind: string): void {
  const state = paneState(pane);
  if (state.last?.kind !== kind) return;
  step(pane, undoStep);
  state.history.value = { ...state.history.value, future: [] };
}

function record(pane: Pane, change: ViewChange): void {
  const state = paneState(pane);
  const merges = state.last?.kind === change.kind && change.at - state.last.at < MERGE_MS;
  state.last = change;
  if (!merges) state.history.value = recordStep(state.history.value, snapshot(pane));
}

function snapshot(pane: Pane): Undoable {
  return { views: pane.views.value, marks: pane.marks.value };
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

/** Undoes the last change of the visible part or of the marks. */
export function undoChange(pane: Pane): void {
  step(pane, undoStep);
}

export function redoChange(pane: Pane): void {
  step(pane, redoStep);
}

function step(pane: Pane, move: typeof undoStep<Undoable>): void {
  const state = paneState(pane);
  const next = move(state.history.value, snapshot(pane));
  if (next === null) return;
  state.last = null;
  batch(() => {
    state.history.value = next.history;
    pane.views.value = next.state.views;
    pane.marks.value = next.state.marks;
  });
}

/** Transposes or flips the pane. All views, also those in the undo history, keep showing the same part of the plane. */
export function setOrientation(pane: Pane, to: Orientation): void {
  const from = pane.orientation.value;
  const shape = [rowsOf(pane)?.length ?? pane.shape[0], pane.shape[1]] as const;
  const turned = (views: Views): Views =>
    new Map([...views].map(([key, view]) => [key, reorient(view, shape, from, to)]));
  const state = paneState(pane);
  batch(() => {
    const { past, future } = state.history.value;
    const turnedStep = ({ views, marks }: Undoable) => ({ views: turned(views), marks });
    state.history.value = { past: past.map(turnedStep), future: future.map(turnedStep) };
    pane.views.value = turned(pane.views.value);
    pane.orientation.value = to;
  });
}

/**
 * Links the cards, which gives them the view of the active card, or unlinks them, which gives each a copy of the shared
 * view.
 */
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
    // Older steps would move cards that the user has not touched.
    state.history.value = emptyHistory();
    state.last = null;
    pane.views.value = next;
    pane.linked.value = linked;
  });
}

/** Returns the key of the card that buttons and keys act on. */
export function activeCard(pane: Pane): string {
  const keys = cardKeys(pane);
  const last = paneState(pane).activeCard.value;
  return last !== null && keys.includes(last) ? last : (keys[0] ?? COMPOSITE);
}

/** Image area and view of the first card of a pane, for plots that are aligned with it. */
export interface ImageArea extends CardArea {
  readonly view: Rect;
}

const imageAreas = new WeakMap<Pane, ReadonlySignal<ImageArea | null>>();

export function imageAreaOf(pane: Pane): ReadonlySignal<ImageArea | null> {
  let area = imageAreas.get(pane);
  if (area === undefined) {
    area = computed(() => {
      const [key] = cardKeys(pane);
      const first = key === undefined ? undefined : paneState(pane).areas.value.get(key);
      return key === undefined || first === undefined ? null : { ...first, view: viewIn(pane, key, first) };
    });
    imageAreas.set(pane, area);
  }
  return area;
}
