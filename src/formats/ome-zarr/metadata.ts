/** Builds a scene from the metadata of an image and its array. Pure. */
import type { ChannelInfo, SceneInfo, Step } from '../../acquisition.js';
import { decodeFailed } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { channelsShown, hexColor } from '../../metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../metadata/dates.js';
import { depthRows } from '../../metadata/depth-rows.js';
import { channelsNamed } from '../../metadata/names.js';
import { defaultStep, fileStep, type StepOptions } from '../../metadata/steps.js';
import type { Notes } from '../../notes.js';
import { type Companion, clockIn, stepIn } from './acqstore.js';
import { type JsonObject, listOf, numberOf, objectOf, textOf } from './json.js';
import type { AxisRoles, RawAxis } from './multiscales.js';
import type { Factors } from './transformations.js';
import type { ImageGroup, Pipeline, ZarrArray } from './types.js';

export interface ImageParts {
  group: ImageGroup;
  axes: readonly RawAxis[];
  /** By axis, in its unit. */
  steps: Factors;
  roles: AxisRoles;
  array: ZarrArray;
  companion: Companion | undefined;
}

/** Builds the scene, without its warnings: they are complete once all its files have been looked at. @throws AcqError `decode_failed` for sizes above the limits */
export function toScene(label: string, name: string, image: ImageParts, notes: Notes): SceneInfo {
  const { group, axes, roles, array } = image;
  notes.addAll(array.notes);
  const size = (axis: number | undefined) => (axis === undefined ? 1 : array.shape[axis]!);
  const sizes = { T: size(roles.t), Z: size(roles.z), Y: size(roles.rows), X: size(roles.x) };
  checkSizes(label, image, sizes, size(roles.c));
  for (const axis of roles.others) {
    notes.add(`The axis "${axes[axis]?.name}" has ${size(axis)} entries. Showing only the first.`);
  }
  if (roles.folded) notes.add(`${sizes.Y} frames of one row are shown as the lines of a line scan.`);
  const header = image.companion?.header ?? {};
  const { date, time } = clockIn(header) ?? parseDateTime(group.xml?.acquired ?? '') ?? NO_CLOCK;
  const override = (axis: 'y' | 'x') => stepIn(header, axis, image.companion?.origin ?? 'file', notes);
  return {
    name,
    sampleType: array.sampleType,
    channels: toChannels(image, size(roles.c)),
    sizes,
    steps: {
      T: stepOf(image, roles.t, 'T', { what: 'T step', warnings: notes, fallback: 'Frames', expect: 'seconds' }),
      Z: stepOf(image, roles.z, 'Z', { what: 'Z step', warnings: notes, fallback: 'Planes', expect: 'micrometer' }),
      Y: override('y') ?? rowStep(image, notes),
      X: override('x') ?? stepOf(image, roles.x, 'X', { what: 'X step', warnings: notes, expect: 'micrometer' }),
    },
    ...depthRows(roles.rowKind === 'Z', notes),
    date,
    time,
    reference: null,
    warnings: [],
  };
}

/** Returns the step of the rows. A Y in seconds means a line scan, regardless of the name of the axis. */
function rowStep(image: ImageParts, notes: Notes): Step {
  const { rows, rowKind } = image.roles;
  const expect = rowKind === 'T' ? 'seconds' : rowKind === 'Z' ? 'micrometer' : undefined;
  return stepOf(image, rows, rowKind, { what: 'Y step', warnings: notes, ...(expect ? { expect } : {}) });
}

function stepOf(
  { steps, axes, group }: ImageParts,
  axis: number | undefined,
  kind: 'T' | 'Z' | 'Y' | 'X',
  options: StepOptions,
): Step {
  if (axis === undefined) return defaultStep(options.fallback);
  const scale = steps[axis];
  const unit = axes[axis]?.unit;
  const other = group.xml?.sizes[kind];
  if ((scale === undefined || unit === undefined) && other) return fileStep(other.value, other.unit, options);
  if (unit === undefined && scale !== undefined && scale !== 1) {
    options.warnings.add(`${options.what}: ${scale} has no unit in the file, so it was ignored.`);
  }
  return fileStep(scale, unit, options);
}

/** Returns the channels with the labels, colors and windows of `omero`; without a label, with the name in the OME-XML. */
function toChannels({ group }: ImageParts, count: number): ChannelInfo[] {
  const raw = listOf(objectOf(group.ome['omero'])?.['channels']).map(objectOf);
  const named = channelsNamed(
    Array.from({ length: count }, (_, i) => textOf(raw[i]?.['label']) || group.xml?.channels[i]),
  );
  return channelsShown(
    named,
    named.map((_, i) => ({ color: hexColor(textOf(raw[i]?.['color'])), window: parseWindow(raw[i]) })),
  );
}

function parseWindow(channel: JsonObject | undefined): ChannelInfo['window'] {
  const window = objectOf(channel?.['window']);
  const [start, end] = [numberOf(window?.['start']), numberOf(window?.['end'])];
  return start === undefined || end === undefined ? undefined : { start, end };
}

function checkSizes(label: string, { array, roles }: ImageParts, sizes: SceneInfo['sizes'], channels: number): void {
  const { T, Z, Y, X } = sizes;
  const problem =
    Y > LIMITS.planeSide || X > LIMITS.planeSide || Y * X > LIMITS.planePixels
      ? `planes of ${Y} × ${X} pixels`
      : T > LIMITS.planes || Z > LIMITS.planes
        ? `${T} time points and ${Z} depths`
        : channels > LIMITS.channels
          ? `${channels} channels`
          : chunksOfPlane(array.pipeline, roles, sizes) > LIMITS.zarrChunks
            ? `planes of more than ${LIMITS.zarrChunks} chunks`
            : undefined;
  if (problem) throw decodeFailed(`${label}: has ${problem}, which is above the limit`);
}

/** Counts the chunks (inner ones of shards) that a plane touches. */
export function chunksOfPlane(pipeline: Pipeline, roles: AxisRoles, { Y, X }: { Y: number; X: number }): number {
  return rowsOfChunks(pipeline, roles, Y) * Math.ceil(X / innermost(pipeline).shape[roles.x]!);
}

/** Counts the rows of chunks in a plane. */
export function rowsOfChunks(pipeline: Pipeline, { rows }: AxisRoles, Y: number): number {
  return rows === undefined ? 1 : Math.ceil(Y / innermost(pipeline).shape[rows]!);
}

/** Returns the pipeline of the inner chunks of shards, else that of the chunks. */
export function innermost(pipeline: Pipeline): Pipeline {
  return pipeline.shard ? innermost(pipeline.shard.inner) : pipeline;
}
