/** Builds a scene from the metadata of an image and its array. Pure. */

import { decodeFailed } from '../../base/errors.js';
import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../../base/json.js';
import { LIMITS } from '../../base/limits.js';
import type { Notes } from '../../base/notes.js';
import { planeTooLarge } from '../../base/plane-size.js';
import { grouped } from '../../base/wording.js';
import type { ChannelInfo, SceneInfo, Step } from '../../model/acquisition.js';
import { type MeasuredValues, measuredAxes, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { channelsShown, hexColor } from '../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../model/metadata/dates.js';
import { depthRows } from '../../model/metadata/depth-rows.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { omeDepths, omeTimes } from '../../model/metadata/ome-measured.js';
import { resolveNoted } from '../../model/metadata/plane-rows.js';
import { defaultStep, fileStep, type StepOptions } from '../../model/metadata/steps.js';
import { type Companion, clockIn, stepIn } from './acqstore.js';
import type { AxisRoles, RawZarrAxis } from './multiscales.js';
import { ownCoordinates } from './own-coordinates.js';
import type { Factors } from './transformations.js';
import type { ImageGroup, Pipeline, ZarrArray } from './types.js';

export interface ImageParts {
  group: ImageGroup;
  axes: readonly RawZarrAxis[];
  /** By axis, in its unit. */
  steps: Factors;
  roles: AxisRoles;
  array: ZarrArray;
  companion: Companion | undefined;
}

/** Builds the scene, without its warnings: they are complete once all its files have been looked at. @throws AcqError `decode_failed` for sizes above the limits */
export function toScene(name: string, image: ImageParts, notes: Notes): SceneInfo {
  const { group, axes, roles, array } = image;
  notes.addAll(array.notes);
  const size = (axis: number | undefined) => (axis === undefined ? 1 : array.shape[axis]!);
  const sizes = { T: size(roles.t), Z: size(roles.z), Y: size(roles.rows), X: size(roles.x) };
  checkSizes(image, sizes, size(roles.c));
  for (const axis of roles.others) {
    notes.add(`The axis "${axes[axis]?.name}" has ${grouped(size(axis))} entries. Showing only the first.`);
  }
  if (roles.folded) notes.add(`${grouped(sizes.Y)} frames of one row are shown as the lines of a line scan.`);
  const header = image.companion?.header ?? {};
  const { date, time } = clockIn(header) ?? parseDateTime(group.xml?.acquired ?? '') ?? NO_CLOCK;
  const override = (axis: 'y' | 'x'): ResolvedAxis | undefined => {
    const step = stepIn(header, axis, image.companion?.origin ?? 'file', notes);
    return step && { step };
  };
  const T = resolve(image, roles.t, { kind: 'T', name: 'T' }, { ...stepOptions('T', notes), fallback: 'Frames' });
  const Z = resolve(image, roles.z, { kind: 'Z', name: 'Z' }, { ...stepOptions('Z', notes), fallback: 'Planes' });
  const X = override('x') ?? resolve(image, roles.x, { kind: 'X', name: 'X' }, stepOptions('X', notes));
  const Y = resolveLines(image, override('y'), sizes.Y, notes) ?? resolveRows(image, notes);
  return {
    name,
    sampleType: array.sampleType,
    channels: toChannels(image, size(roles.c)),
    sizes,
    steps: { T: T.step, Z: Z.step, Y: Y.step, X: X.step },
    ...measuredAxes({ T, Z, Y }),
    ...depthRows(roles.rowKind === 'Z', notes),
    ...(group.xml?.instrument ? { instrument: group.xml.instrument } : {}),
    date,
    time,
    reference: null,
    warnings: [],
  };
}

/** The step of rows in a header keeps the measured times of its lines. */
function resolveLines(
  { group }: ImageParts,
  stated: ResolvedAxis | undefined,
  size: number,
  notes: Notes,
): ResolvedAxis | undefined {
  if (!stated) return undefined;
  const { step, unit, origin } = stated.step;
  const own = ownCoordinates(group.ome, 'Y', size, notes);
  if (own?.unit !== unit) return stated;
  const nominal = [{ step, what: 'Y step of acqstore', origin }];
  return resolveAxis('Y', size, { unit, nominal, measured: own.measured }, notes);
}

function stepOptions(name: 'T' | 'Z' | 'X', warnings: Notes): StepOptions {
  return { what: `${name} step`, warnings, expect: name === 'T' ? 'seconds' : 'micrometer' };
}

/** Resolves the axis of the rows. A Y in seconds means a line scan, regardless of the name of the axis. */
function resolveRows(image: ImageParts, notes: Notes): ResolvedAxis {
  const { rows, rowKind } = image.roles;
  const expect = rowKind === 'T' ? 'seconds' : rowKind === 'Z' ? 'micrometer' : undefined;
  return resolve(
    image,
    rows,
    { kind: rowKind, name: 'Y' },
    { what: 'Y step', warnings: notes, ...(expect ? { expect } : {}) },
  );
}

/**
 * Resolves an axis: the scale of the transformations, the size in the OME-XML beside them, and what that says of planes.
 * @param kind the axis of OME
 * @param name the axis of the scene
 */
function resolve(
  image: ImageParts,
  axis: number | undefined,
  { kind, name }: { kind: PlaneDimension; name: PlaneDimension },
  options: StepOptions,
): ResolvedAxis {
  if (axis === undefined) return { step: defaultStep(options.fallback) };
  const scale = image.steps[axis];
  const unit = image.axes[axis]?.unit;
  const { xml } = image.group;
  const size = xml?.sizes[kind];
  const steps: { step: Step; what: string }[] = [];
  if ((scale !== undefined && unit !== undefined) || !size) {
    if (unit === undefined && scale !== undefined && scale !== 1) {
      options.warnings.add(`${options.what}: ${scale} has no unit in the file, so it was ignored.`);
    }
    steps.push({ step: fileStep(scale, unit, options), what: 'the scale of the axis' });
  }
  if (size) steps.push({ step: fileStep(size.value, size.unit, options), what: `${XML_NAMES[kind]} of the OME-XML` });
  return resolveSteps(name, image, { kind, steps }, options);
}

type PlaneDimension = 'T' | 'Z' | 'Y' | 'X';

const XML_NAMES = { T: 'TimeIncrement', Z: 'PhysicalSizeZ', Y: 'PhysicalSizeY', X: 'PhysicalSizeX' } as const;

function resolveSteps(
  name: PlaneDimension,
  image: ImageParts,
  { kind, steps }: { kind: PlaneDimension; steps: readonly { step: Step; what: string }[] },
  { warnings, fallback, expect }: StepOptions,
): ResolvedAxis {
  const calibrated = steps.flatMap(({ step: { step, unit, origin }, what }) =>
    unit === 'seconds' || unit === 'micrometer' ? [{ step, what, origin, unit }] : [],
  );
  const own = name === 'X' ? undefined : ownCoordinates(image.group.ome, name, sizeOf(image, kind), warnings);
  const unit = calibrated[0]?.unit ?? own?.unit ?? expect;
  if (unit === undefined) return { step: defaultStep(fallback) };
  const nominal = calibrated.filter((other) => other.unit === unit);
  const evidenceOf = (said: Notes) => {
    const byPlanes = measuredBy(image, kind, nominal[0]?.step, said);
    return { unit, nominal, measured: byPlanes ?? (own?.unit === unit ? own.measured : undefined) };
  };
  const resolved = resolveNoted(name, sizeOf(image, kind), evidenceOf, warnings);
  return resolved.step.origin === 'default' ? { ...resolved, step: defaultStep(fallback) } : resolved;
}

/** Returns the size of an axis of OME, whatever axis of the scene it is. */
function sizeOf({ array, roles }: ImageParts, kind: PlaneDimension): number {
  const axes = { T: roles.t, Z: roles.z, Y: roles.rows, X: roles.x };
  const axis = roles.rowKind === kind ? roles.rows : axes[kind];
  return axis === undefined ? 1 : array.shape[axis]!;
}

/** Returns what the planes of the OME-XML say of an axis. @param set distance of the sections, in µm */
function measuredBy(
  image: ImageParts,
  kind: PlaneDimension,
  set: number | undefined,
  notes: Notes,
): MeasuredValues | undefined {
  const { xml } = image.group;
  if (!xml) return undefined;
  const C = image.roles.c === undefined ? 1 : image.array.shape[image.roles.c]!;
  const sizes = { T: sizeOf(image, 'T'), Z: sizeOf(image, 'Z'), C };
  if (kind === 'T') return omeTimes(xml.pixels, sizes, notes);
  return kind === 'Z' ? omeDepths(xml.pixels, sizes, set, notes) : undefined;
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

function checkSizes({ array, roles }: ImageParts, sizes: SceneInfo['sizes'], channels: number): void {
  const tooLarge = planeTooLarge(sizes);
  if (tooLarge) throw tooLarge;
  const { T, Z } = sizes;
  const problem =
    T > LIMITS.planes || Z > LIMITS.planes
      ? `${grouped(T)} time points and ${grouped(Z)} depths`
      : channels > LIMITS.channels
        ? `${grouped(channels)} channels`
        : chunksOfPlane(array.pipeline, roles, sizes) > LIMITS.zarrChunks
          ? `planes of more than ${grouped(LIMITS.zarrChunks)} chunks`
          : undefined;
  if (problem) throw decodeFailed(`has ${problem}, which is above the limit`);
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
