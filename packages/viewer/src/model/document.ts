import type { CalibrationOverride } from '@acquisition-store/client/contract/calibration.js';
import type { Channel, OpenResponse, Plane, Reference } from '@acquisition-store/client/contract/open.js';
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { OpenedAcquisition } from './client.ts';
import { findColorChannels } from './color-image.ts';
import type { ChannelDisplay, ChannelStats, PixelMarks, Smoothing, ValueRange } from './display.ts';
import type { FarPlane, FarRegion } from './far-plane.ts';
import { firstLuts } from './first-luts.ts';
import type { Orientation, PlanePoint, Rect, Shape } from './geometry.ts';
import type { MeasuredAxes, MeasuredAxis } from './measured-axis.ts';
import { NOT_ORTHOGONAL, type Orthogonal } from './orthogonal.ts';
import { looksLikeLineScan } from './plane.ts';
import type { Samples } from './samples.ts';

export type { Shape } from './geometry.ts';

export type LoadState =
  | { readonly state: 'waiting' }
  | { readonly state: 'loading'; readonly received: number; readonly total: number }
  | { readonly state: 'ready' }
  | { readonly state: 'failed'; readonly code: string; readonly message: string };

/** One channel of a pane: its samples and their display. */
export interface ChannelView {
  /** Index in the file, as in data URLs. */
  readonly index: number;
  readonly name: string;
  /** Row-major samples of the plane; null until they are loaded. */
  readonly data: Signal<Samples | null>;
  /** The first rows of a plane whose other rows are on their way; null before they come, and when all have come. */
  readonly coming: Signal<FarRegion | null>;
  /** Set instead of `data` when the plane is too large for the page. */
  readonly far: Signal<FarPlane | null>;
  readonly load: Signal<LoadState>;
  /** What is drawn in place of the samples, with words for it: the maximum of neighboring sections; null without. */
  readonly slab: Signal<{ readonly samples: Samples; readonly words: string } | null>;
  /** Null until all samples have been counted. */
  readonly stats: Signal<ChannelStats | null>;
  /** The plane that `stats` are of, which hidden tabs let go. */
  readonly statsPlane: Signal<WeakRef<Samples | FarPlane> | null>;
  readonly display: Signal<ChannelDisplay>;
  /** Id of the initial color table. */
  readonly firstLut: string;
  /** The display range that the file contains; null without. */
  readonly fileRange: ValueRange | null;
  /** Auto contrast of all time points and sections; null for a single plane, a projection, and until it is known. */
  readonly stackRange: Signal<StackRange | null>;
}

/** A range in which none of the counted planes is clipped more than by its own auto contrast. */
export interface StackRange extends ValueRange {
  /** Planes that were counted. */
  readonly counted: number;
  /** Planes that the channel has. */
  readonly planes: number;
}

/**
 * `line`: distance or velocity between two points; `polyline`, `freeline`: a path through points; `region`: rows × columns;
 * `ellipse`: the one inside such a rectangle; `polygon`, `freehand`: what a path encloses; `point`: one sample.
 */
export type MarkKind = 'line' | 'polyline' | 'freeline' | 'region' | 'ellipse' | 'polygon' | 'freehand' | 'point';

/** Max points of a mark, and max marks of an image, which are part of links. */
export const MAX_POINTS = 512;
export const MAX_MARKS = 256;
/** Decimals of the points of outlines, which are short in links. */
export const POINT_DECIMALS = 3;
/** Max width of a line, as of a profile by the server. */
export const MAX_WIDTH = 1000;

/** Max length of the name and of the comment of a mark, which are part of links. */
export const MAX_NAME = 64;
export const MAX_COMMENT = 500;

/** A measurement drawn over a pane. Plane coordinates keep it in place when the pane is zoomed or transposed. */
export interface Mark {
  /** Number shown on the image. */
  readonly id: string;
  readonly kind: MarkKind;
  /** The ends; equal for a point. */
  readonly from: PlanePoint;
  readonly to: PlanePoint;
  /** Points of a path or an outline between its first and its last. */
  readonly via?: readonly PlanePoint[];
  /** Given by the user; otherwise the kind and the id are the name. */
  readonly name?: string;
  readonly comment?: string;
  /** Samples across a line that are averaged; 1 when absent. */
  readonly width?: number;
  /** The plane that ImageJ shows it on, by numbers from 1; absent for all. */
  readonly plane?: { readonly c?: number; readonly z?: number; readonly t?: number };
}

/**
 * What ΔF/F₀ compares with, in traces and in the table of marks: `p20` and `mean` are the 20th percentile and the mean of
 * the same pixels over all lines or time points; `range 0 5` is their mean over the first five; `mark …` is the mean of a
 * region.
 */
export type Baseline = `p${number}` | 'mean' | `range ${number} ${number}` | `mark ${string}`;

const FIRST_BASELINE: Baseline = 'p20';

export type ToolId = 'zoom' | 'pan' | MarkKind;

/** Planes of one geometry: the acquisition itself or its reference image. */
export interface Pane {
  readonly kind: 'source' | 'reference';
  /** Replaced when lines are added to a line scan that is being recorded; `plane` and `shape` read it. */
  readonly geometry: Signal<Plane>;
  readonly plane: Plane;
  readonly shape: Shape;
  readonly channels: readonly ChannelView[];
  readonly lineScan: boolean;
  /** True when three of the channels are the samples of a color image, which share one range. */
  readonly colorImage: boolean;
  readonly orientation: Signal<Orientation>;
  /**
   * View by card: a channel index or `composite`; linked panes use `shared` for all. A missing view shows the whole
   * image.
   */
  readonly views: Signal<ReadonlyMap<string, Rect>>;
  readonly linked: Signal<boolean>;
  readonly composite: Signal<boolean>;
  /** True for a pane that begins as a composite: a color image, or fluorescence in several colors. */
  readonly startsComposite: boolean;
  /**
   * True when 1 µm has the same length in x and y. Otherwise line scans fill the card, and other images have square
   * samples.
   */
  readonly physicalAspect: Signal<boolean>;
  readonly axes: Signal<boolean>;
  readonly scaleBar: Signal<boolean>;
  readonly pixelMarks: Signal<PixelMarks>;
  readonly smoothing: Signal<Smoothing>;
  /** Follows the pointer or is moved by keys. */
  readonly cursor: Signal<PlanePoint | null>;
  readonly tool: Signal<ToolId>;
  readonly marks: Signal<readonly Mark[]>;
  readonly selectedMark: Signal<string | null>;
  /** What ΔF/F₀ of marks compares with. */
  readonly baseline: Signal<Baseline>;
  /** Id of the region that is subtracted from the means and traces of all other marks; null without. */
  readonly background: Signal<string | null>;
  /** Profiles have a scale for each channel, so that a weak one is not flat. */
  readonly ownScales: Signal<boolean>;
  /** Curves of plots that were hidden by their names in the legend. */
  readonly hiddenCurves: Signal<ReadonlySet<string>>;
  /** True while the planes of the stack are counted for the contrast. */
  readonly countsStack: Signal<boolean>;
  /** When each row was recorded; null for rows that are evenly spaced. */
  readonly rowTimes: Signal<MeasuredAxis | null>;
  /** Where the calibrated rows start, in the unit of their axis, or the number of the first one; 0 when absent. */
  readonly rowStart?: number;
  /** Height of a sample divided by its width on screen; absent where the axes decide. */
  readonly sampleRatio?: number;
  readonly orthogonal: Signal<Orthogonal>;
  /** Where the orthogonal views cut the plane; null for its middle. */
  readonly cross: Signal<PlanePoint | null>;
}

/** The acquisition of one tab. */
export interface AcquisitionDocument {
  readonly id: string;
  /** Replaced, with `info`, by another selection. */
  readonly opened: Signal<OpenedAcquisition>;
  readonly info: Signal<OpenResponse>;
  /** Replaced when the planes of another selection have a different geometry. */
  readonly source: Signal<Pane>;
  readonly reference: Signal<Pane | null>;
  /** Steps of the source that the user has entered; null without. */
  readonly calibration: Signal<CalibrationOverride | null>;
  /** Measured times and depths of the time points and sections; empty until they are read. */
  readonly measured: Signal<MeasuredAxes>;
  readonly showScanPath: Signal<boolean>;
  /** The pane that keys and the readout apply to. */
  readonly activePane: Signal<'source' | 'reference'>;
  readonly pane: ReadonlySignal<Pane>;
}

/** True when the channel can be shown. */
export function isLoaded({ data, far }: ChannelView): boolean {
  return data.value !== null || far.value !== null;
}

/** True when the plane on screen has been counted: the statistics of the last one stay until it rests. */
export function isCounted({ data, far, stats, statsPlane }: ChannelView): boolean {
  const shown = data.value ?? far.value;
  return shown !== null && statsPlane.value?.deref() === shown && (stats.value?.count ?? 0) > 0;
}

/** What a channel begins with, before its samples have come. */
export const UNKNOWN_RANGE: ValueRange = { min: 0, max: 1 };

function createChannel(channel: Channel, firstLut: string, visible: boolean): ChannelView {
  const fileRange = fileRangeOf(channel);
  const { min, max } = fileRange ?? UNKNOWN_RANGE;
  return {
    index: channel.index,
    name: channel.name,
    data: signal(null),
    coming: signal(null),
    far: signal(null),
    load: signal<LoadState>({ state: 'waiting' }),
    slab: signal(null),
    stats: signal(null),
    statsPlane: signal(null),
    display: signal({ lut: firstLut, invert: false, min, max, scale: 'linear', gamma: 1, visible, opacity: 1 }),
    firstLut,
    fileRange,
    stackRange: signal(null),
  };
}

function fileRangeOf({ window }: Channel): ValueRange | null {
  return window && window.start < window.end ? { min: window.start, max: window.end } : null;
}

/** @param known channels to use again, by their index */
export function createPane(
  kind: Pane['kind'],
  { plane, channels }: Pick<Reference, 'plane' | 'channels'>,
  known: ReadonlyMap<number, ChannelView> = new Map(),
): Pane {
  const lineScan = kind === 'source' && looksLikeLineScan(plane);
  const geometry = signal(plane);
  const luts = firstLuts(channels);
  const colors = findColorChannels(channels);
  const startsComposite = colors !== null || (!lineScan && isFluorescence(channels, luts));
  return {
    kind,
    geometry,
    get plane() {
      return geometry.value;
    },
    get shape() {
      return shapeOf(geometry.value);
    },
    channels: channels.map((channel, position) => {
      // Opacity and other samples beside a color image would change its colors.
      const beside = colors?.includes(channel.index) === false;
      return (
        known.get(channel.index) ?? createChannel(channel, (beside ? undefined : luts[position]) ?? 'grey', !beside)
      );
    }),
    lineScan,
    colorImage: colors !== null,
    orientation: signal({ transposed: lineScan, upward: lineScan }),
    views: signal(new Map()),
    linked: signal(true),
    composite: signal(startsComposite),
    startsComposite,
    physicalAspect: signal(false),
    axes: signal(kind === 'source'),
    scaleBar: signal(!lineScan),
    pixelMarks: signal({ clipping: false }),
    smoothing: signal<Smoothing>({ kind: 'none', sigma: 1 }),
    cursor: signal(null),
    tool: signal<ToolId>('zoom'),
    marks: signal<readonly Mark[]>([]),
    selectedMark: signal(null),
    baseline: signal<Baseline>(FIRST_BASELINE),
    background: signal(null),
    ownScales: signal(true),
    hiddenCurves: signal<ReadonlySet<string>>(new Set()),
    countsStack: signal(false),
    rowTimes: signal(null),
    orthogonal: signal(NOT_ORTHOGONAL),
    cross: signal(null),
  };
}

/** Shapes of planes, so that a plane has one and the same. */
const shapes = new WeakMap<Plane, Shape>();

function shapeOf(plane: Plane): Shape {
  let shape = shapes.get(plane);
  if (shape === undefined) {
    const [rows = 1, columns = 1] = plane.shape;
    shape = [rows, columns];
    shapes.set(plane, shape);
  }
  return shape;
}

/** Max colors that can be told apart in one image. */
const MAX_COLORS = 6;

/** True for several channels with a color of their own each, which are shown in one image. Transmitted light would hide them. */
function isFluorescence(channels: readonly Channel[], luts: readonly string[]): boolean {
  const hasOwnColors = new Set(luts).size === luts.length && !luts.includes('grey');
  const isTransmitted = channels.some(({ role }) => role === 'transmitted');
  return channels.length > 1 && channels.length <= MAX_COLORS && hasOwnColors && !isTransmitted;
}

let opened = 0;

export function createDocument(acquisition: OpenedAcquisition): AcquisitionDocument {
  const { info } = acquisition;
  const source = signal(createPane('source', info));
  const reference = signal(info.reference ? createPane('reference', info.reference) : null);
  const activePane = signal<'source' | 'reference'>('source');
  opened += 1;
  return {
    id: `document-${opened}`,
    opened: signal(acquisition),
    info: signal(info),
    source,
    reference,
    calibration: signal(null),
    measured: signal({}),
    showScanPath: signal(true),
    activePane,
    pane: computed(() => (activePane.value === 'reference' ? (reference.value ?? source.value) : source.value)),
  };
}
