/** The reference image, which a line was drawn on: `REF_…` bands. */

import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { grouped, plural } from '../../base/wording.js';
import type { FoundReference, ReferenceInfo, Step } from '../../model/acquisition.js';
import { channelsShown } from '../../model/metadata/colors.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep, fileStep } from '../../model/metadata/steps.js';
import { type Arranged, SAMPLE_TYPES, type SampleBytes, usedScanner } from './arrange.js';
import { channelDisplays } from './display.js';
import { layoutPlane, type PlaneLayout } from './layout.js';
import { pixelLength } from './pixel-length.js';
import type { Recording } from './recording.js';
import type { RawReferenceBands } from './scan.js';
import type { RawPath } from './scan-path.js';

export interface OirReference {
  info: ReferenceInfo;
  bytesPerSample: SampleBytes;
  /** By channel of `info`. */
  planes: { file: number; layout: PlaneLayout }[];
}

interface Size {
  width: number;
  height: number;
  /** Per sample. */
  bytes: SampleBytes;
}

/** Finds the reference image. One that cannot be shown is a warning, never an error. */
export function findReference(recording: Recording, arranged: Arranged): FoundReference<OirReference> {
  const source = recording.references[0]?.source;
  if (source === undefined) return { warnings: [] };
  const warnings: string[] = [];
  const sources = new Set(recording.references.map((bands) => bands.source));
  if (sources.size > 1) {
    warnings.push(`The file has ${grouped(sources.size)} reference images. Showing the one from ${source}.`);
  }
  const channels = inChannelOrder(recording, arranged, source);
  const layouts = channels.map(({ bands }) => layoutPlane(bands));
  const span = layouts.reduce((max, layout) => Math.max(max, layout.span), 0);
  const size = findSize(recording, arranged, span);
  if (!size || size.width * size.height > LIMITS.planePixels) {
    warnings.push(`The reference image was skipped: its width and height are unknown (${grouped(span)} bytes).`);
    return { warnings };
  }
  const bytes = size.width * size.height * size.bytes;
  const complete = channels.flatMap((bands, i) => {
    const layout = layouts[i]!;
    return layout.bytes >= bytes ? [{ bands, layout }] : [];
  });
  const lost = channels.length - complete.length;
  if (lost > 0) {
    const verb = lost === 1 ? 'is incomplete and was' : 'are incomplete and were';
    warnings.push(`${grouped(lost)} of ${plural(channels.length, 'channel')} of the reference image ${verb} skipped.`);
  }
  if (complete.length === 0) return { warnings };
  const path = findScanPath(recording, arranged);
  warnings.push(...path.warnings);
  const ids = complete.map(({ bands }) => bands.channel);
  const info = toReferenceInfo(recording, arranged, size, ids, path.path);
  const planes = complete.map(({ layout }) => ({ file: layout.bands[0]?.file ?? 0, layout }));
  return { image: { info, bytesPerSample: size.bytes, planes }, warnings };
}

function inChannelOrder(recording: Recording, arranged: Arranged, source: string): RawReferenceBands[] {
  const order = [...arranged.channelNames.keys()];
  const rank = new Map(order.map((id, i) => [id, i]));
  return recording.references
    .filter((bands) => bands.source === source)
    .sort((a, b) => (rank.get(a.channel) ?? 0) - (rank.get(b.channel) ?? 0));
}

/**
 * Finds the size of the reference image. In order of trust: its own definition, the full frame of the scanner, a square,
 * lines as wide as those of the recording.
 */
function findSize(recording: Recording, arranged: Arranged, span: number): Size | undefined {
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
  path: RawPath | undefined,
): ReferenceInfo {
  const names = channels.map((id) => arranged.channelNames.get(id));
  return {
    sampleType: SAMPLE_TYPES[size.bytes],
    channels: channelsShown(channelsNamed(names), channelDisplays(recording, channels, names)),
    sizes: { Y: size.height, X: size.width },
    steps: { Y: referenceStep(recording, arranged, 'Y'), X: referenceStep(recording, arranged, 'X') },
    lineRoi: path ? toEnds(path) : null,
    scanPath: path ? { x: path.x, y: path.y } : null,
  };
}

/**
 * Returns the pixel size of the recording: a line is sampled at the pitch of the image that it was drawn on. The
 * pixels of overviews are square unless the file has another height.
 */
function referenceStep(recording: Recording, arranged: Arranged, axis: 'X' | 'Y'): Step {
  const { properties } = recording;
  if (!properties) return defaultStep();
  const stepAlong = (side: 'X' | 'Y') => {
    const { value, unit } = pixelLength(properties, arranged.channels[0], side);
    // The scene has the same steps, and warns about them.
    return fileStep(value, unit, { what: 'reference', warnings: new Notes(), expect: 'micrometer' });
  };
  const step = stepAlong(axis);
  if (step.unit === 'micrometer' || axis === 'X') return step;
  const width = stepAlong('X');
  return width.unit === 'micrometer' ? { ...width, origin: 'derived' } : step;
}

function findScanPath(recording: Recording, arranged: Arranged): { path?: RawPath; warnings: string[] } {
  const path = recording.properties?.paths[0];
  // Frames of a region have its corners in the same element; they are not a line.
  if (!path || !arranged.lineScan) return { warnings: [] };
  const straight = path.x.length === 2;
  const short = pathLength(path) < SHORT * (arranged.geometry.width - 1);
  if (!straight || !(path.calledBent || short)) return { path, warnings: [] };
  const warning =
    'The scanned line seems to be bent, but the file contains only its ends: the path on the reference image is ' +
    'a straight line between them.';
  return { path, warnings: [warning] };
}

/** A straight line below this share of the pixels in a line is too short to have been scanned pixel by pixel. */
const SHORT = 0.8;

function pathLength({ x, y }: RawPath): number {
  let length = 0;
  for (let i = 1; i < x.length; i++) {
    length += Math.hypot(x[i]! - x[i - 1]!, y[i]! - y[i - 1]!);
  }
  return length;
}

function toEnds({ x, y }: RawPath): [number, number, number, number] {
  return [x[0]!, y[0]!, x.at(-1)!, y.at(-1)!];
}
