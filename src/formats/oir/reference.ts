/** The overview image that a line was drawn on: `REF_…` bands. */
import type { ReferenceInfo, Step } from '../../acquisition.js';
import { LIMITS } from '../../io/limits.js';
import { channelsShown } from '../../metadata/colors.js';
import { channelsNamed } from '../../metadata/names.js';
import { defaultStep, fileStep } from '../../metadata/steps.js';
import { type Arranged, usedScanner } from './arrange.js';
import { channelDisplays } from './display.js';
import { layoutPlane, type PlaneLayout } from './layout.js';
import { pixelLength, SAMPLE_TYPES } from './metadata.js';
import type { Recording } from './recording.js';
import type { RawReferenceBands } from './scan.js';
import type { RawPath } from './scan-path.js';

export interface Reference {
  info: ReferenceInfo;
  bytesPerSample: 1 | 2 | 4;
  /** By channel of `info`. */
  planes: { file: number; layout: PlaneLayout }[];
}

interface Size {
  width: number;
  height: number;
  bytes: 1 | 2 | 4;
}

/** `null` without reference bands; a reference that cannot be shown is a warning, never an error. */
export function findReference(recording: Recording, arranged: Arranged, warnings: string[]): Reference | null {
  const source = recording.references[0]?.source;
  if (source === undefined) return null;
  const others = new Set(recording.references.map((found) => found.source));
  if (others.size > 1) {
    warnings.push(`of ${others.size} reference images the one from ${source} is shown`);
  }
  const found = inChannelOrder(recording, arranged, source);
  const layouts = found.map(({ bands }) => layoutPlane(bands));
  const span = layouts.reduce((most, layout) => Math.max(most, layout.span), 0);
  const size = referenceSize(recording, arranged, span);
  if (!size || size.width * size.height > LIMITS.planePixels) {
    warnings.push(`the reference image is not shown: nothing says how its ${span} bytes form lines`);
    return null;
  }
  const bytes = size.width * size.height * size.bytes;
  const whole = found.flatMap((bands, i) => {
    const layout = layouts[i] as PlaneLayout;
    return layout.bytes >= bytes ? [{ bands, layout }] : [];
  });
  if (whole.length < found.length) {
    const lost = found.length - whole.length;
    warnings.push(`incomplete channels of the reference image, not shown: ${lost} of ${found.length}`);
  }
  if (whole.length === 0) return null;
  const channels = whole.map(({ bands }) => bands.channel);
  return {
    info: toReferenceInfo(recording, arranged, size, channels, warnings),
    bytesPerSample: size.bytes,
    planes: whole.map(({ layout }) => ({ file: layout.bands[0]?.file ?? 0, layout })),
  };
}

function inChannelOrder(recording: Recording, arranged: Arranged, source: string): RawReferenceBands[] {
  const order = [...arranged.channelNames.keys()];
  const rank = new Map(order.map((id, i) => [id, i]));
  return recording.references
    .filter((found) => found.source === source)
    .sort((a, b) => (rank.get(a.channel) ?? 0) - (rank.get(b.channel) ?? 0));
}

/** In order of trust: its own definition, the full frame of the scanner, a square, lines as wide as the recording's. */
function referenceSize(recording: Recording, arranged: Arranged, span: number): Size | undefined {
  if (span === 0) return undefined;
  for (const { width, height, depth } of recording.definitions) {
    const bytes = depth === 1 || depth === 2 || depth === 4 ? depth : arranged.bytesPerSample;
    if (width * height * bytes === span) return { width, height, bytes };
  }
  const bytes = arranged.bytesPerSample;
  const { width = 0, height = 0 } = usedScanner(recording.properties) ?? {};
  if (width > 0 && Number.isSafeInteger(width) && width * height * bytes === span) return { width, height, bytes };
  const samples = span / bytes;
  const side = Math.floor(Math.sqrt(samples));
  if (side * side === samples) return { width: side, height: side, bytes };
  const line = arranged.geometry.width;
  if (samples % line === 0) return { width: line, height: samples / line, bytes };
  return undefined;
}

function toReferenceInfo(
  recording: Recording,
  arranged: Arranged,
  size: Size,
  channels: readonly string[],
  warnings: string[],
): ReferenceInfo {
  const path = scanPath(recording, arranged, warnings);
  const names = channels.map((id) => arranged.channelNames.get(id));
  return {
    sampleType: SAMPLE_TYPES[size.bytes],
    channels: channelsShown(channelsNamed(names), channelDisplays(recording, channels, names)),
    sizes: { Y: size.height, X: size.width },
    steps: { Y: referenceStep(recording, arranged, 'Y'), X: referenceStep(recording, arranged, 'X') },
    lineRoi: path ? ends(path) : null,
    scanPath: path ? { x: path.x, y: path.y } : null,
  };
}

/**
 * A line is sampled at the pitch of the overview that it was drawn on, so the pixel size of the recording is that of
 * the reference too. Overviews have square pixels where the file does not say otherwise.
 */
function referenceStep(recording: Recording, arranged: Arranged, axis: 'X' | 'Y'): Step {
  const { properties } = recording;
  if (!properties) return defaultStep();
  const silent: string[] = [];
  const step = (which: 'X' | 'Y') => {
    const { value, unit } = pixelLength(properties, arranged.channels[0], which);
    return fileStep(value, unit, { what: 'reference', warnings: silent, expect: 'micrometer' });
  };
  const own = step(axis);
  if (own.unit === 'micrometer' || axis === 'X') return own;
  const across = step('X');
  return across.unit === 'micrometer' ? { ...across, origin: 'derived' } : own;
}

function scanPath(recording: Recording, arranged: Arranged, warnings: string[]): RawPath | undefined {
  const path = recording.properties?.paths[0];
  // Frames through a region carry its corners in the same element; they are no line.
  if (!path || !arranged.lineScan) return undefined;
  const straight = path.x.length === 2;
  const short = pathLength(path) < SHORT * (arranged.geometry.width - 1);
  if (straight && (path.calledBent || short)) {
    warnings.push(
      'the scanned line seems to be bent, and the file gives its ends only: the path on the reference image is ' +
        'a straight line between them',
    );
  }
  return path;
}

/** Part of its own length from which a straight line is too short to have been scanned pixel by pixel. */
const SHORT = 0.8;

function pathLength({ x, y }: RawPath): number {
  let length = 0;
  for (let i = 1; i < x.length; i++) {
    length += Math.hypot((x[i] as number) - (x[i - 1] as number), (y[i] as number) - (y[i - 1] as number));
  }
  return length;
}

function ends({ x, y }: RawPath): [number, number, number, number] {
  return [x[0] as number, y[0] as number, x.at(-1) as number, y.at(-1) as number];
}
