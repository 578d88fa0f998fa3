import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import { Polyline, type Vertex } from '@acquisition-store/readers/derive/analysis/polyline.js';
import { type Profile, profile } from '@acquisition-store/readers/derive/analysis/profile.js';
import type { SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { ProfileResponse } from '../contract/analysis.js';
import { ANALYSIS_LIMITS } from '../contract/values.js';

/** @throws AcqError `region_out_of_range` for a line that is too long, before anything is computed */
export function checkLine(points: readonly Vertex[], width: number): void {
  const { length, places } = new Polyline(points);
  if (length === 0) refuse('All points of the line are the same. A line has a length.');
  const { profilePlaces, profileSamples } = ANALYSIS_LIMITS;
  // Far points have a length that is not a finite number.
  if (!(places <= profilePlaces)) {
    refuse(
      `The line has ${Number.isSafeInteger(places) ? grouped(places) : 'too many'} places, one for each pixel of its ` +
        `length and one more; the limit is ${grouped(profilePlaces)} (profilePlaces).`,
    );
  }
  if (places * width <= profileSamples) return;
  refuse(
    `The line has ${grouped(places)} places with ${grouped(width)} samples each (\`width\`); the limit is ` +
      `${grouped(profileSamples)} samples (profileSamples).`,
  );
}

function refuse(problem: string): never {
  throw new AcqError('region_out_of_range', problem);
}

export interface MeasuredProfile extends Profile, Pick<ProfileResponse, 'unit'> {
  distance: Float64Array<ArrayBuffer>;
}

type Axes = readonly { step: number; unit: ProfileResponse['unit'] }[];

/** Computes the samples along a line, and where they lie. */
export function* measuredProfile(
  data: SourceData,
  { points, width, axes }: { points: readonly Vertex[]; width: number; axes: Axes },
): Generator<void, MeasuredProfile> {
  const line = yield* profile(data, points, width);
  yield;
  return { ...line, ...toDistances(new Polyline(points), axes) };
}

/** Returns distances along the line in the unit of both axes; in pixels when they have different ones. */
function toDistances(line: Polyline, [y, x]: Axes): Pick<MeasuredProfile, 'unit' | 'distance'> {
  if (y!.unit !== x!.unit) return { unit: null, distance: line.distances(1, 1) };
  return { unit: y!.unit, distance: line.distances(y!.step, x!.step) };
}

/** The rows of a profile as an array. */
export const PROFILE_ROWS = ['distance', 'rows', 'columns', 'values'] as const;

/** Returns a profile as one array: its rows one below the other. */
export function toProfileArray(line: MeasuredProfile): Float64Array<ArrayBuffer> {
  const count = line.values.length;
  const array = new Float64Array(PROFILE_ROWS.length * count);
  for (const [i, name] of PROFILE_ROWS.entries()) array.set(line[name], i * count);
  return array;
}
