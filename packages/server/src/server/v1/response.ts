/** Converts an open response of the sessions to that of v1. */
import { basename, extname } from 'node:path';
import type { OpenResponse, Plane, Reference } from '@acquisition-store/client/contract/open.js';
import type { V1OpenSuccess, V1Reference, V1Role } from '@acquisition-store/client/contract/v1.js';
import { V1Refusal } from './errors.js';
import type { V1Channels } from './request.js';

const ENCODING = { encoding: 'raw-f32-le', layout: 'row-major' } as const;

/**
 * Chooses the channels to load: calcium, then vessels unless the file has one channel or both are the same.
 * @param count channels of the file
 * @throws V1Refusal `channel_out_of_range`
 */
export function chooseChannels({ calcium, vessels }: V1Channels, count: number): number[] {
  if (calcium >= count) throw outOfRange('calciumChannel', calcium, count);
  if (vessels === null || count < 2) return [calcium];
  if (vessels >= count) throw outOfRange('vesselChannel', vessels, count);
  return vessels === calcium ? [calcium] : [calcium, vessels];
}

function outOfRange(name: string, channel: number, count: number): V1Refusal {
  return new V1Refusal('channel_out_of_range', `${name} ${channel} is out of range: the file has ${count} channel(s)`);
}

/**
 * @param path absolute path that was opened
 * @throws V1Refusal `calibration_unavailable`
 */
export function toOpenSuccess(opened: OpenResponse, path: string): V1OpenSuccess {
  const { sessionId, plane, channels, reference } = opened;
  const [calcium, vessels] = channels;
  const toChannel = <R extends V1Role>({ index }: { index: number }, role: R) => ({
    index,
    name: `CH${index + 1}`,
    role,
    ...ENCODING,
    ...sizeOf(plane),
    url: `/api/v1/session/${sessionId}/channel/${role}`,
  });
  return {
    ok: true,
    sessionId,
    source: {
      path,
      format: formatOf(path),
      numChannels: Math.max(1, opened.source.numChannels),
      width: plane.shape[1]!,
      height: plane.shape[0]!,
      dtype: 'float32',
    },
    calibration: toCalibration(plane),
    channels: {
      calcium: toChannel(calcium!, 'calcium'),
      ...(vessels ? { vessels: toChannel(vessels, 'vessels') } : {}),
    },
    reference: reference && toReference(reference, sessionId),
  };
}

function sizeOf({ shape: [height, width] }: Plane) {
  return { height: height!, width: width!, byteLength: height! * width! * Float32Array.BYTES_PER_ELEMENT };
}

/** Returns the last extension of a name, in lower case and without its dot. */
function formatOf(path: string): string {
  const extension = extname(basename(path)).slice(1).toLowerCase();
  if (extension === '') return 'unknown';
  return extension === 'tiff' ? 'tif' : extension;
}

/** Names the steps in milliseconds and micrometers without a look at their unit, as v1 did. */
function toCalibration({ axes }: Plane): V1OpenSuccess['calibration'] {
  const [y, x] = axes;
  for (const axis of [y, x]) {
    if (axis && Number.isFinite(axis.step) && axis.step > 0) continue;
    throw new V1Refusal('calibration_unavailable', 'The file does not give the step of its lines and pixels');
  }
  return {
    msPerLine: y!.step * 1000,
    umPerPixel: x!.step,
    stepYSeconds: y!.step,
    stepXUm: x!.step,
    unitsSource: 'acqimage',
    dim_0_step: y!.step,
    dim_1_step: x!.step,
    dim_0_units: y!.unit,
    dim_1_units: x!.unit,
  };
}

/** `dx` and `xUnit` are of the rows, `dy` and `yUnit` of the columns: v1 named them so. */
function toReference({ plane, channels, lineRoi, scanPath }: Reference, sessionId: string): V1Reference {
  const [y, x] = plane.axes;
  const steps = { dx: y!.step, dy: x!.step, xUnit: y!.unit, yUnit: x!.unit };
  const size = { ...ENCODING, ...sizeOf(plane) };
  return {
    numChannels: channels.length,
    ...size,
    channels: channels.map(({ index }) => ({
      index,
      ...size,
      url: `/api/v1/session/${sessionId}/reference/channel/${index}`,
      ...steps,
    })),
    lineRoi,
    scanPath,
    ...steps,
  };
}
