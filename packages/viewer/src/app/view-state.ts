/**
 * The view of an acquisition as text for an address: selection, channels, display, views, toggles, marks. Never data. A
 * link may come from anywhere, so each part is checked, and ignored when it is invalid.
 */

import type { CalibrationOverride } from '@acquisition-store/client/contract/calibration.js';
import type { Interpretation } from '@acquisition-store/client/contract/interpretation.js';
import { isBaseline } from '../analysis/baseline.ts';
import { MAX_PHASE } from '../analysis/line-phase.ts';
import { changes } from '../image/smoothed.ts';
import { isLut } from '../luts/luts.ts';
import { type ChannelDisplay, MAX_SIGMA, MIN_SIGMA, type Smoothing } from '../model/display.ts';
import {
  type AcquisitionDocument,
  type Baseline,
  isLoaded,
  MAX_COMMENT,
  MAX_MARKS,
  MAX_NAME,
  MAX_POINTS,
  MAX_WIDTH,
  type Mark,
  type Pane,
  POINT_DECIMALS,
} from '../model/document.ts';
import type { Orientation, PlanePoint, Rect } from '../model/geometry.ts';
import { MARK_KINDS } from '../model/mark-kind.ts';
import { NOT_ORTHOGONAL, type Orthogonal, toOrthogonal } from '../model/orthogonal.ts';
import { toInterpretation, toParts } from '../stack/interpret.ts';
import { Kymograph, type KymographLine } from '../stack/kymograph.ts';
import { PROJECTION_METHODS, type Projection } from '../stack/place.ts';
import { toCalibration } from './calibrations.ts';

interface PaneSnapshot {
  readonly orientation?: Orientation;
  /** Visible part by card, as in `Pane.views`. */
  readonly views: Readonly<Record<string, Rect>>;
  /** By channel index. */
  readonly displays: Readonly<Record<string, ChannelDisplay>>;
  readonly toggles: Readonly<Partial<Record<PaneToggle, boolean>>>;
  readonly smoothing?: Smoothing;
  readonly marks: readonly Mark[];
  readonly baseline?: Baseline;
  /** Id of the mark that is subtracted. */
  readonly background?: string;
  readonly orthogonal?: Orthogonal;
  readonly cross?: PlanePoint;
}

export interface ViewState {
  /** Scene, time point, section. */
  readonly selection?: Readonly<Record<string, number>>;
  /** How the planes of a dimension are combined. */
  readonly projection?: Projection;
  /** What the user says that the planes are. */
  readonly interpret?: Interpretation;
  /** `all`: with the other files of its recording. */
  readonly parts?: 'all';
  /** The line of a kymograph. Selection and projection are those of its stack. */
  readonly kymograph?: KymographLine;
  /** Steps that were entered by hand. */
  readonly calibration?: CalibrationOverride;
  /** Source channels in their order; all when absent. */
  readonly channels?: readonly number[];
  readonly activePane?: 'source' | 'reference';
  readonly showScanPath?: boolean;
  readonly source: PaneSnapshot;
  readonly reference?: PaneSnapshot;
}

const TOGGLES = ['linked', 'composite', 'physicalAspect', 'axes', 'scaleBar', 'clipping'] as const;
type PaneToggle = (typeof TOGGLES)[number];

/** Max length of a view in characters. */
const MAX_TEXT = 524_288;
const MAX_PARTS = 256;

/** Returns the current view. Reads signals, so that an effect runs again when the view changes. */
export function captureView(document: AcquisitionDocument): ViewState {
  const { channels, header } = document.info.value;
  const opened = document.opened.value;
  const kymograph = opened instanceof Kymograph ? opened : null;
  const { selection, projection, interpret, parts } = kymograph?.stackInfo ?? document.info.value;
  const reference = document.reference.value;
  const indices = channels.map(({ index }) => index);
  const all = indices.length === header.numChannels && indices.every((index, position) => index === position);
  return {
    ...(selection ? { selection } : {}),
    ...(projection ? { projection } : {}),
    ...(interpret ? { interpret } : {}),
    ...toParts(parts),
    ...(kymograph ? { kymograph: kymograph.line } : {}),
    ...(document.calibration.value ? { calibration: document.calibration.value } : {}),
    ...(all ? {} : { channels: indices }),
    activePane: document.activePane.value,
    showScanPath: document.showScanPath.value,
    source: capturePane(document.source.value),
    ...(reference ? { reference: capturePane(reference) } : {}),
  };
}

export function capturePane(pane: Pane): PaneSnapshot {
  return {
    orientation: pane.orientation.value,
    views: Object.fromEntries(pane.views.value),
    displays: Object.fromEntries(
      // The contrast of a channel is not known before its plane has arrived.
      pane.channels
        .filter((channel) => isLoaded(channel) || channel.stats.value !== null)
        .map(({ index, display }) => [index, display.value]),
    ),
    toggles: {
      linked: pane.linked.value,
      composite: pane.composite.value,
      physicalAspect: pane.physicalAspect.value,
      axes: pane.axes.value,
      scaleBar: pane.scaleBar.value,
      clipping: pane.pixelMarks.value.clipping,
    },
    ...(changes(pane.smoothing.value) ? { smoothing: pane.smoothing.value } : {}),
    marks: pane.marks.value,
    ...(pane.marks.value.length > 0 ? { baseline: pane.baseline.value } : {}),
    ...(pane.background.value === null ? {} : { background: pane.background.value }),
    ...(pane.orthogonal.value === NOT_ORTHOGONAL ? {} : { orthogonal: pane.orthogonal.value }),
    ...(pane.cross.value === null ? {} : { cross: pane.cross.value }),
  };
}

/** Applies a view to an opened acquisition. Selection and channels were applied when it was opened. */
export function applyView(document: AcquisitionDocument, state: ViewState): void {
  if (state.showScanPath !== undefined) document.showScanPath.value = state.showScanPath;
  if (state.activePane === 'source' || document.reference.value) {
    document.activePane.value = state.activePane ?? document.activePane.value;
  }
  applyPane(document.source.value, state.source);
  if (document.reference.value && state.reference) applyPane(document.reference.value, state.reference);
}

export function applyPane(pane: Pane, state: PaneSnapshot): void {
  if (state.orientation) pane.orientation.value = state.orientation;
  for (const toggle of ['linked', 'composite', 'physicalAspect', 'axes', 'scaleBar'] as const) {
    const value = state.toggles[toggle];
    if (value !== undefined) pane[toggle].value = value;
  }
  if (state.smoothing) pane.smoothing.value = state.smoothing;
  if (state.toggles.clipping !== undefined) pane.pixelMarks.value = { clipping: state.toggles.clipping };
  pane.views.value = new Map(Object.entries(state.views));
  pane.marks.value = state.marks;
  if (state.baseline !== undefined) pane.baseline.value = state.baseline;
  pane.background.value = state.background ?? null;
  pane.orthogonal.value = state.orthogonal ?? NOT_ORTHOGONAL;
  pane.cross.value = state.cross ?? null;
  for (const { index, display } of pane.channels) {
    const saved = state.displays[index];
    if (saved) display.value = isLut(saved.lut) ? saved : { ...saved, lut: 'grey' };
  }
}

/** Returns the ids of color tables in a view that this page does not have. They are shown as gray. */
export function unknownLuts({ source, reference }: ViewState): string[] {
  const displays = [source, reference].flatMap((pane) => Object.values(pane?.displays ?? {}));
  return [...new Set(displays.map(({ lut }) => lut).filter((lut) => !isLut(lut)))];
}

/** Encodes a view with letters, digits, `-` and `_` only. */
export function encodeView(state: ViewState): string {
  const text = JSON.stringify(state, (key, value) => {
    if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toPrecision(8));
    // Outlines have many points.
    return key === 'via' ? (value as Mark['via'])?.flatMap(({ row, column }) => [short(row), short(column)]) : value;
  });
  const bytes = new TextEncoder().encode(text);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function short(coordinate: number): number {
  return Number(coordinate.toFixed(POINT_DECIMALS));
}

/** Returns null when the text is not an encoded view. */
export function decodeView(text: string): ViewState | null {
  if (text === '' || text.length > MAX_TEXT) return null;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return toViewState(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}

function toViewState(value: unknown): ViewState | null {
  if (!isRecord(value) || !isRecord(value['source'])) return null;
  const {
    selection,
    projection,
    interpret,
    parts,
    kymograph,
    calibration,
    channels,
    activePane,
    showScanPath,
    source,
    reference,
  } = value;
  const steps = toCalibration(calibration);
  return {
    ...(isRecord(selection) ? { selection: toSelection(selection) } : {}),
    ...toProjection(projection),
    ...toInterpretation(interpret),
    ...toParts(parts),
    ...toKymograph(kymograph),
    ...(steps === null ? {} : { calibration: steps }),
    ...(isIndices(channels) ? { channels } : {}),
    ...(activePane === 'source' || activePane === 'reference' ? { activePane } : {}),
    ...(typeof showScanPath === 'boolean' ? { showScanPath } : {}),
    source: toPaneSnapshot(source),
    ...(isRecord(reference) ? { reference: toPaneSnapshot(reference) } : {}),
  };
}

/** Returns the indices of scene, time point and section that are valid. */
export function toSelection(value: unknown): Record<string, number> {
  return entries(value, toIndex, /^[STZ]$/);
}

/** Returns the line of a kymograph; nothing when it is invalid. */
function toKymograph(value: unknown): { kymograph?: KymographLine } {
  if (!isRecord(value)) return {};
  const { name, points, width } = value;
  if (typeof name !== 'string' || name.length > MAX_NAME || !Array.isArray(points)) return {};
  const valid = points.length >= 2 && points.length <= MAX_PARTS && points.every(isPair);
  return valid && isWidth(width) ? { kymograph: { name, points, width } } : {};
}

function isWidth(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_WIDTH;
}

function isPair(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(isNumber);
}

/** Returns the projection of one dimension; nothing when it is invalid. */
function toProjection(value: unknown): { projection?: Projection } {
  const methods = entries(value, (method) => PROJECTION_METHODS.find((known) => known === method), /^[TZ]$/);
  return Object.keys(methods).length === 1 ? { projection: methods } : {};
}

function toPaneSnapshot(value: Record<string, unknown>): PaneSnapshot {
  const { orientation, views, displays, toggles, smoothing, marks, baseline, background, orthogonal, cross } = value;
  const validSmoothing = toSmoothing(smoothing);
  const validOrientation = toOrientation(orientation);
  return {
    ...(validOrientation ? { orientation: validOrientation } : {}),
    views: entries(views, toRect, /^(shared|composite|\d{1,5})$/),
    displays: entries(displays, toDisplay, /^\d{1,5}$/),
    ...(validSmoothing ? { smoothing: validSmoothing } : {}),
    toggles: entries(toggles, toBoolean, new RegExp(`^(${TOGGLES.join('|')})$`)),
    marks: (Array.isArray(marks) ? marks.slice(0, MAX_MARKS) : []).map(toMark).filter((mark) => mark !== undefined),
    ...(isBaseline(baseline) ? { baseline } : {}),
    ...(isText(background, 64) ? { background } : {}),
    ...toOrthogonal(orthogonal),
    ...(isPoint(cross) ? { cross: toPoint(cross) } : {}),
  };
}

/** Returns the entries with a valid key and value. */
function entries<T>(value: unknown, read: (value: unknown) => T | undefined, keys: RegExp): Record<string, T> {
  if (!isRecord(value)) return {};
  const valid: Record<string, T> = {};
  for (const [key, item] of Object.entries(value).slice(0, MAX_PARTS)) {
    const parsed = keys.test(key) ? read(item) : undefined;
    if (parsed !== undefined) valid[key] = parsed;
  }
  return valid;
}

function toSmoothing(value: unknown): Smoothing | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, sigma, alongTime, linePhase } = value;
  const isPhase = isNumber(linePhase) && Math.abs(linePhase as number) <= MAX_PHASE && linePhase !== 0;
  if (kind !== 'none' && kind !== 'median' && kind !== 'gaussian') return undefined;
  return isNumber(sigma) && (sigma as number) >= MIN_SIGMA && (sigma as number) <= MAX_SIGMA
    ? {
        kind,
        sigma: sigma as number,
        ...(alongTime === true ? { alongTime } : {}),
        ...(isPhase ? { linePhase: linePhase as number } : {}),
      }
    : undefined;
}

function toOrientation(value: unknown): Orientation | undefined {
  if (!isRecord(value)) return undefined;
  const { transposed, upward } = value;
  return typeof transposed === 'boolean' && typeof upward === 'boolean' ? { transposed, upward } : undefined;
}

function toRect(value: unknown): Rect | undefined {
  if (!isRecord(value)) return undefined;
  const { x, y, width, height } = value;
  if (![x, y, width, height].every(isNumber) || !((width as number) > 0) || !((height as number) > 0)) return undefined;
  return { x, y, width, height } as Rect;
}

export function toDisplay(value: unknown): ChannelDisplay | undefined {
  if (!isRecord(value)) return undefined;
  const { lut, invert, min, max, scale = 'linear', gamma, visible, opacity } = value;
  const numbers = [min, max, gamma, opacity];
  if (typeof lut !== 'string' || !(isLut(lut) || /^[a-z0-9-]{1,32}$/i.test(lut)) || !numbers.every(isNumber))
    return undefined;
  if (scale !== 'linear' && scale !== 'log') return undefined;
  if (typeof invert !== 'boolean' || typeof visible !== 'boolean') return undefined;
  const [low, high, power, share] = numbers as [number, number, number, number];
  if (!(low < high && power >= 0.01 && power <= 100 && share >= 0 && share <= 1)) return undefined;
  return { lut, invert, min: low, max: high, scale, gamma: power, visible, opacity: share };
}

export function toMark(value: unknown): Mark | undefined {
  if (!isRecord(value)) return undefined;
  const { id, kind, from, to, via, name, comment, width, plane } = value;
  if (typeof id !== 'string' || id.length > 64 || !isMarkKind(kind)) return undefined;
  if (!isPoint(from) || !isPoint(to)) return undefined;
  const between = toVia(via);
  return {
    id,
    kind,
    from: toPoint(from),
    to: toPoint(to),
    ...(between.length > 0 ? { via: between } : {}),
    ...(isText(name, MAX_NAME) ? { name } : {}),
    ...(isText(comment, MAX_COMMENT) ? { comment } : {}),
    ...(isWidth(width) && width > 1 ? { width } : {}),
    ...(isRecord(plane) ? { plane: entries(plane, toNumber, /^[czt]$/) } : {}),
  };
}

function isMarkKind(value: unknown): value is Mark['kind'] {
  return (MARK_KINDS as readonly unknown[]).includes(value);
}

/** Returns points from their rows and columns one after the other, or from the objects of older links. */
function toVia(value: unknown): readonly Mark['from'][] {
  if (!Array.isArray(value)) return [];
  const some = value.slice(0, 2 * MAX_POINTS);
  if (!some.every(isNumber)) return some.filter(isPoint).slice(0, MAX_POINTS).map(toPoint);
  return Array.from({ length: Math.floor(some.length / 2) }, (_, i) => ({ row: some[2 * i], column: some[2 * i + 1] }));
}

function toPoint({ row, column }: Mark['from']): Mark['from'] {
  return { row, column };
}

function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= max;
}

function isPoint(value: unknown): value is Mark['from'] {
  return isRecord(value) && isNumber(value['row']) && isNumber(value['column']);
}

export function toIndex(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/** Numbers of planes start at 1. */
function toNumber(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 1 ? (value as number) : undefined;
}

function toBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function isIndices(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.length <= MAX_PARTS && value.every(Number.isInteger);
}

function isNumber(value: unknown): boolean {
  return Number.isFinite(value);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
