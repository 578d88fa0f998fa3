/** From the metadata of an image and its array to a scene. Pure. */

import type { ChannelInfo, SceneInfo, Step } from '../../acquisition.js';
import { decodeFailed } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { channelsShown, hexColor } from '../../metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../metadata/dates.js';
import { depthRows } from '../../metadata/depth-rows.js';
import { channelsNamed } from '../../metadata/names.js';
import { defaultStep, fileStep, type StepOptions } from '../../metadata/steps.js';
import { addNote } from '../../notes.js';
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

/** @throws AcqError `decode_failed` for sizes that nobody can serve */
export function toScene(label: string, name: string, image: ImageParts): SceneInfo {
  const { group, axes, roles, array } = image;
  const warnings = [...array.warnings];
  const size = (axis: number | undefined) => (axis === undefined ? 1 : (array.shape[axis] as number));
  const sizes = { T: size(roles.t), Z: size(roles.z), Y: size(roles.rows), X: size(roles.x) };
  checkSizes(label, image, sizes, size(roles.c));
  for (const axis of roles.others) {
    warnings.push(`The axis "${axes[axis]?.name}" has ${size(axis)} entries; only the first is served.`);
  }
  if (roles.folded) warnings.push(`${sizes.Y} frames of one row are served as the lines of a line scan.`);
  const header = image.companion?.header ?? {};
  const { date, time } = clockIn(header) ?? parseDateTime(group.xml?.acquired ?? '') ?? NO_CLOCK;
  const override = (axis: 'y' | 'x') => stepIn(header, axis, image.companion?.origin ?? 'file', warnings);
  return {
    name,
    sampleType: array.sampleType,
    channels: channelsOf(image, size(roles.c)),
    sizes,
    steps: {
      T: stepOf(image, roles.t, 'T', { what: 'T step', warnings, fallback: 'Frames', expect: 'seconds' }),
      Z: stepOf(image, roles.z, 'Z', { what: 'Z step', warnings, fallback: 'Planes', expect: 'micrometer' }),
      Y: override('y') ?? rowStep(image, warnings),
      X: override('x') ?? stepOf(image, roles.x, 'X', { what: 'X step', warnings, expect: 'micrometer' }),
    },
    ...depthRows(roles.rowKind === 'Z', warnings),
    date,
    time,
    reference: null,
    warnings,
  };
}

/** Lines may follow each other in time whatever their axis is called: a Y in seconds is one of a line scan. */
function rowStep(image: ImageParts, warnings: string[]): Step {
  const { rows, rowKind } = image.roles;
  const expect = rowKind === 'T' ? 'seconds' : rowKind === 'Z' ? 'micrometer' : undefined;
  return stepOf(image, rows, rowKind, { what: 'Y step', warnings, ...(expect ? { expect } : {}) });
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
    addNote(options.warnings, `${options.what}: ${scale} has no unit in the file, so it is not used.`);
  }
  return fileStep(scale, unit, options);
}

/** Labels, colors and windows of `omero`; without a label the name in the OME-XML. */
function channelsOf({ group }: ImageParts, count: number): ChannelInfo[] {
  const raw = listOf(objectOf(group.ome['omero'])?.['channels']).map(objectOf);
  const named = channelsNamed(
    Array.from({ length: count }, (_, i) => textOf(raw[i]?.['label']) || group.xml?.channels[i]),
  );
  return channelsShown(
    named,
    named.map((_, i) => ({ color: hexColor(textOf(raw[i]?.['color'])), window: windowOf(raw[i]) })),
  );
}

function windowOf(channel: JsonObject | undefined): ChannelInfo['window'] {
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
  if (problem) throw decodeFailed(`${label}: claims ${problem}, which is beyond what can be served`);
}

/** Chunks, the innermost ones of shards, that a plane touches. */
export function chunksOfPlane(pipeline: Pipeline, roles: AxisRoles, { Y, X }: { Y: number; X: number }): number {
  return rowsOfChunks(pipeline, roles, Y) * Math.ceil(X / (innermost(pipeline).shape[roles.x] as number));
}

/** Rows of chunks, one below the other, in a plane. */
export function rowsOfChunks(pipeline: Pipeline, { rows }: AxisRoles, Y: number): number {
  return rows === undefined ? 1 : Math.ceil(Y / (innermost(pipeline).shape[rows] as number));
}

export function innermost(pipeline: Pipeline): Pipeline {
  return pipeline.shard ? innermost(pipeline.shard.inner) : pipeline;
}
