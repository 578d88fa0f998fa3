/**
 * Turns an opened acquisition and a request into the response of the contract, and finds the planes that later requests ask
 * for. Pure: the server, the command line and the page share it.
 */

import { AcqError, invalidRequest } from '@acquisition-store/readers/base/errors.js';
import { grouped, plural } from '@acquisition-store/readers/base/wording.js';
import type { PlanProjection } from '@acquisition-store/readers/derive/projection.js';
import { baseName } from '@acquisition-store/readers/io/paths.js';
import type { SceneInfo } from '@acquisition-store/readers/model/acquisition.js';
import { calibrateScene } from '@acquisition-store/readers/model/calibration.js';
import { describeHeader } from '@acquisition-store/readers/model/header.js';
import { describeStepRange, isUsableStep } from '@acquisition-store/readers/model/metadata/steps.js';
import type { SampleType } from '@acquisition-store/readers/model/samples/types.js';
import { type SceneView, selectIndex } from '@acquisition-store/readers/model/selection.js';
import type { OpenDescription, OpenRequest, OpenResponse } from '../contract/open.js';
import { API_VERSION, BINARY } from '../contract/values.js';

/** The part of an open request that chooses and describes, without the path. */
export interface ViewChoice
  extends Pick<
    OpenRequest,
    'channelIndices' | 'selection' | 'projection' | 'calibration' | 'interpret' | 'parts' | 'decode'
  > {
  /** Chooses the channels by the number of channels of the file, instead of `channelIndices`. */
  chooseChannels?: (count: number) => number[];
}

/** Planes of one shape; sizes are bytes of float32. */
export interface PlaneSet {
  rows: number;
  columns: number;
  /** Type of the samples in the file; not in records of sessions that earlier versions wrote. */
  sampleType?: SampleType;
  planeBytes: number;
  /** Source channel indices, in the requested order. */
  channelIndices: number[];
}

/** What an open will read, determined before anything is read or allocated. */
export interface OpenPlan {
  scene: number;
  t: number;
  z: number;
  planes: PlaneSet;
  /** `planes` are projections of all planes along a dimension. */
  projection?: PlanProjection;
  /** All channels of the reference image; null when there is none that can be served. */
  reference: PlaneSet | null;
  /** What was skipped, and why. */
  warnings: string[];
}

/** A plane of a session. */
export interface AskedPlane {
  kind: 'channel' | 'reference';
  channelIndex: number;
  /** Time point and section; those of the session when omitted. */
  t?: number;
  z?: number;
}

/**
 * Refuses lists of channels that no file can satisfy.
 * @throws AcqError `invalid_channel_indices`
 */
export function checkChannelIndices(channelIndices: readonly number[] | undefined): void {
  if (channelIndices === undefined) return;
  const problem = (text: string) => new AcqError('invalid_channel_indices', `\`channelIndices\` ${text}`);
  if (channelIndices.length === 0) throw problem('is empty. Ask for at least one channel, or omit it for all');
  const negative = channelIndices.find((index) => index < 0);
  if (negative !== undefined) throw problem(`contains ${negative}; channels count from 0`);
  const seen = new Set<number>();
  const twice = channelIndices.find((index) => seen.size === seen.add(index).size);
  if (twice !== undefined) throw problem(`contains ${twice} more than once`);
}

/**
 * Refuses a choice that no file can satisfy, before a file is opened or a dialog is shown.
 * @throws AcqError `invalid_channel_indices`, `selection_out_of_range`, `request_validation_failed`
 */
export function checkChoice({ channelIndices, selection, projection, calibration }: ViewChoice): void {
  checkChannelIndices(channelIndices);
  for (const [name, index] of Object.entries(selection ?? {})) {
    if (index !== undefined && index < 0) {
      throw new AcqError('selection_out_of_range', `\`selection.${name}\` is ${index}; indices start at 0`);
    }
  }
  checkCalibration(calibration);
  for (const name of ['T', 'Z'] as const) {
    if (projection?.[name] === undefined || selection?.[name] === undefined) continue;
    const message = `\`selection.${name}\` cannot be given together with a projection along ${name}`;
    throw invalidRequest(['body', 'selection', name], message, 'selection_and_projection');
  }
}

/**
 * Determines which planes an open reads, and their sizes.
 * @param name of the file, for messages
 * @param maxPlaneBytes limit of a served plane
 * @throws AcqError `invalid_channel_indices`, `channel_out_of_range`, `selection_out_of_range`, `plane_too_large`,
 * `request_validation_failed` for a step that is not a positive number
 */
export function planOpen(view: SceneView, choice: ViewChoice, name: string, maxPlaneBytes: number): OpenPlan {
  const { scene } = view;
  checkCalibration(choice.calibration);
  const t = selectIndex('T', choice.selection?.T, scene.sizes.T, view.start.t);
  const z = selectIndex('Z', choice.selection?.Z, scene.sizes.Z, view.start.z);
  const projection = planProjection(choice.projection, scene);
  const count = scene.channels.length;
  const channelIndices = choice.chooseChannels?.(count) ?? selectChannels(choice.channelIndices, count);
  const planes = planeSet(scene, channelIndices);
  checkPlaneBytes({ ...planes, type: 'float32' }, name, maxPlaneBytes);
  const projected = projection ? { projection } : {};
  return { scene: view.sceneIndex, t, z, planes, ...projected, ...planReference(scene.reference, maxPlaneBytes) };
}

/**
 * Checks the size of a plane.
 * @throws AcqError `plane_too_large`
 */
export function checkPlaneBytes(
  { rows, columns, planeBytes, type }: Pick<PlaneSet, 'rows' | 'columns' | 'planeBytes'> & { type: string },
  name: string,
  maxPlaneBytes: number,
): void {
  if (planeBytes <= maxPlaneBytes) return;
  throw new AcqError(
    'plane_too_large',
    `${name}: one plane of ${grouped(rows)} × ${grouped(columns)} pixels takes ${grouped(planeBytes)} bytes as ${type}; ` +
      `the limit is ${grouped(maxPlaneBytes)} (--max-plane-bytes).`,
  );
}

/** Returns the bytes of all planes of a set. */
export function setBytes(planes: PlaneSet | null): number {
  return planes ? planes.planeBytes * planes.channelIndices.length : 0;
}

/**
 * Returns the open response without the session; without a reference when `plan.reference` is null.
 * @param file the acquisition: its real absolute path, and the bytes of all of its files, undefined when unknown
 */
export function describeOpen(
  view: SceneView,
  plan: OpenPlan,
  file: { path: string; size: number | undefined },
  choice: ViewChoice,
): OpenDescription {
  const scene = calibrateScene(view.scene, choice.calibration);
  const selection = selectionInUse(view, plan);
  return {
    ok: true,
    apiVersion: API_VERSION,
    source: {
      path: file.path,
      name: baseName(file.path),
      format: view.format,
      sourceDtype: scene.sampleType,
      numChannels: scene.channels.length,
      ...(view.scenes.length > 0 ? { scenes: view.scenes } : {}),
      ...(scene.instrument ? { instrument: scene.instrument } : {}),
      ...(view.recording ? { recording: view.recording } : {}),
    },
    header: describeHeader(
      { scene, sceneCount: view.sceneCount },
      file.size === undefined ? '' : formatFileSize(file.size),
    ),
    plane: toPlane(scene.sizes, scene.steps, scene.rowAxis),
    channels: toChannels(scene.channels, plan.planes),
    reference: toReference(scene.reference, plan.reference),
    ...(Object.keys(selection).length > 0 ? { selection } : {}),
    ...(plan.projection ? { projection: { [plan.projection.along]: plan.projection.method } } : {}),
    ...(choice.interpret ? { interpret: choice.interpret } : {}),
    ...(choice.parts === 'all' ? { parts: choice.parts } : {}),
    warnings: [...scene.warnings, ...plan.warnings],
  };
}

/**
 * Adds the session to an open response.
 * @param revision `source.revision`
 */
export function toOpenResponse(description: OpenDescription, sessionId: string, revision: string): OpenResponse {
  const { channels, reference } = description;
  const base = `/api/v2/sessions/${sessionId}`;
  const scene = description.selection?.['S'] ?? 0;
  return {
    ...description,
    sessionId,
    source: { ...description.source, revision },
    zarr: { '0.4': `${base}/0.4.ome.zarr/${scene}`, '0.5': `${base}/0.5.ome.zarr/${scene}` },
    channels: channels.map((channel) => ({ ...channel, dataUrl: `${base}/channels/${channel.index}/data` })),
    reference: reference && {
      ...reference,
      channels: reference.channels.map((channel) => ({
        ...channel,
        dataUrl: `${base}/reference/channels/${channel.index}/data`,
      })),
    },
  };
}

/**
 * Finds the set of planes that contains an address.
 * @throws AcqError `channel_not_found`, `reference_channel_not_found`
 */
export function findPlanes(
  session: Pick<OpenPlan, 'planes' | 'reference'>,
  { kind, channelIndex }: Pick<AskedPlane, 'kind' | 'channelIndex'>,
): PlaneSet {
  const planes = kind === 'channel' ? session.planes : session.reference;
  if (planes?.channelIndices.includes(channelIndex)) return planes;
  const held = planes ? `it has ${listSome(planes.channelIndices)}` : 'it has no reference image';
  throw new AcqError(
    kind === 'channel' ? 'channel_not_found' : 'reference_channel_not_found',
    `The session does not have ${kind === 'channel' ? '' : 'reference '}channel ${channelIndex}; ${held}.`,
  );
}

function listSome(indices: readonly number[]): string {
  return indices.length <= 16
    ? indices.join(', ')
    : `${indices.slice(0, 15).join(', ')} and ${indices.length - 15} more`;
}

/**
 * Returns the time point and section of a plane.
 * @throws AcqError `selection_out_of_range`
 */
export function placeOf(
  session: Pick<OpenPlan, 't' | 'z' | 'projection'> & { description: Pick<OpenDescription, 'header'> },
  { kind, t, z }: AskedPlane,
): { t: number; z: number } {
  if (kind === 'reference') return { t: session.t, z: session.z };
  const { sizes } = session.description.header;
  const check = (name: 'T' | 'Z', index: number) => {
    if (session.projection?.along !== name) return checkPlace(name, index, sizes[name]);
    throw new AcqError('selection_out_of_range', `\`${name}=${index}\`: the session is a projection along ${name}.`);
  };
  return { t: t === undefined ? session.t : check('T', t), z: z === undefined ? session.z : check('Z', z) };
}

function checkPlace(name: 'T' | 'Z', index: number, size: number | undefined): number {
  if (size !== undefined && index >= 0 && index < size) return index;
  throw outOfRange(name, index, size);
}

/** Returns the error for a place that does not exist. @param size undefined when the file does not have the dimension */
export function outOfRange(name: 'S' | 'T' | 'Z', index: number, size: number | undefined): AcqError {
  const problem =
    size === undefined ? `the file has no dimension ${name}` : `the file has ${name} 0 to ${grouped(size - 1)}`;
  return new AcqError('selection_out_of_range', `\`${name}=${index}\`: ${problem}.`);
}

/** Formats a decimal size in up to three digits: `950 B`, `842 KB`, `4.8 MB`, `12.3 GB`. */
export function formatFileSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let value = bytes;
  for (const unit of ['KB', 'MB', 'GB', 'TB', 'PB']) {
    value /= 1000;
    if (value < 99.95) return `${value.toFixed(1)} ${unit}`;
    if (value < 999.5) return `${Math.round(value)} ${unit}`;
  }
  return `${Math.round(value)} PB`;
}

function selectChannels(channelIndices: readonly number[] | undefined, count: number): number[] {
  checkChannelIndices(channelIndices);
  if (channelIndices === undefined) return Array.from({ length: count }, (_, index) => index);
  const outside = channelIndices.find((index) => index >= count);
  if (outside !== undefined) {
    throw new AcqError(
      'channel_out_of_range',
      `\`channelIndices\` contains ${outside}, but the file has ${plural(count, 'channel')} ` +
        (count === 1 ? '(index 0)' : `(0 to ${grouped(count - 1)})`),
    );
  }
  return [...channelIndices];
}

/** Checks steps: JSON allows 1e999, which arrives as Infinity, and 1e-320, which breaks a scale bar. */
function checkCalibration(calibration: ViewChoice['calibration']): void {
  for (const name of ['T', 'Z', 'Y', 'X'] as const) {
    const given = calibration?.[name];
    if (given === undefined || isUsableStep(given.step, given.unit)) continue;
    const message = `\`calibration.${name}.step\` must be ${describeStepRange(given.unit)}`;
    throw invalidRequest(['body', 'calibration', name, 'step'], message, 'step_out_of_range');
  }
}

function planeSet(
  { sizes, sampleType }: { sizes: { Y: number; X: number }; sampleType: SampleType },
  channelIndices: number[],
): PlaneSet {
  return { rows: sizes.Y, columns: sizes.X, sampleType, planeBytes: sizes.Y * sizes.X * 4, channelIndices };
}

/** @throws AcqError `selection_out_of_range` when the file does not have the dimension */
function planProjection(projection: ViewChoice['projection'], { sizes }: SceneInfo): PlanProjection | undefined {
  const along = projection?.T ? 'T' : 'Z';
  const method = projection?.[along];
  if (!method) return undefined;
  if (sizes[along] > 1) return { along, method, size: sizes[along] };
  throw new AcqError('selection_out_of_range', `\`projection\`: the file has no dimension ${along}.`);
}

function planReference(reference: SceneInfo['reference'], limit: number): Pick<OpenPlan, 'reference' | 'warnings'> {
  if (!reference) return { reference: null, warnings: [] };
  const planes = planeSet(
    reference,
    reference.channels.map((_, index) => index),
  );
  if (planes.planeBytes <= limit) return { reference: planes, warnings: [] };
  const warning =
    `The reference image was skipped: one plane takes ${grouped(planes.planeBytes)} bytes as float32; ` +
    `the limit is ${grouped(limit)} (--max-plane-bytes).`;
  return { reference: null, warnings: [warning] };
}

function toPlane(
  sizes: { Y: number; X: number },
  steps: Pick<SceneInfo['steps'], 'Y' | 'X'>,
  rowLabel?: string,
): OpenDescription['plane'] {
  return {
    shape: [sizes.Y, sizes.X],
    axes: (['Y', 'X'] as const).map((name, arrayDimension) => ({
      arrayDimension,
      name,
      size: sizes[name],
      step: steps[name].step,
      unit: steps[name].unit,
      ...(name === 'Y' && rowLabel !== undefined ? { label: rowLabel } : {}),
    })),
    ...BINARY,
  };
}

function toChannels(channels: SceneInfo['channels'], planes: PlaneSet): OpenDescription['channels'] {
  return planes.channelIndices.map((index) => {
    const { name = `CH${index + 1}`, ...shown } = channels[index] ?? {};
    return { index, name, byteLength: planes.planeBytes, ...shown };
  });
}

function toReference(reference: SceneInfo['reference'], planes: PlaneSet | null): OpenDescription['reference'] {
  if (!reference || !planes) return null;
  return {
    plane: toPlane(reference.sizes, reference.steps),
    channels: toChannels(reference.channels, planes),
    lineRoi: reference.lineRoi,
    scanPath: reference.scanPath,
  };
}

function selectionInUse({ scene, sceneCount }: SceneView, plan: OpenPlan): Record<string, number> {
  return {
    ...(sceneCount > 1 ? { S: plan.scene } : {}),
    ...(scene.sizes.T > 1 && plan.projection?.along !== 'T' ? { T: plan.t } : {}),
    ...(scene.sizes.Z > 1 && plan.projection?.along !== 'Z' ? { Z: plan.z } : {}),
  };
}
