/** What the page asks of the worker that reads its files, and what the worker answers. */
import type {
  MeasuredValues,
  NativeArray,
  NativeSamples,
  OverviewChoice,
  PlaneArray,
  PlaneColumns,
  ProfileChoice,
  ProfileResponse,
  Statistics,
  StatisticsChoice,
  TracesChoice,
  WindowChoice,
} from '@acquisition-store/client';
import type { AskedPlane, ViewChoice } from '@acquisition-store/client/answers/describe.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { VendorMetadata } from '@acquisition-store/client/contract/vendor-metadata.js';
import type { ErrorRecord } from '@acquisition-store/readers/base/errors.js';
import type { ZarrVersion } from '@acquisition-store/readers/derive/zarr/versions.js';
import type { GivenFiles } from '../model/client.ts';
import type { SentSamples } from './coming-plane.ts';

/** Planes in float32, or in the type of the file. */
export type Form = 'served' | 'native';

/** What a session answers, by the names of the client's methods. */
export interface SessionAnswers {
  plane(asked: AskedPlane, form: Form): NativeSamples;
  window(asked: AskedPlane, choice: WindowChoice, form: Form): NativeArray;
  overview(asked: AskedPlane, choice: OverviewChoice): PlaneArray;
  statistics(asked: AskedPlane, choice: StatisticsChoice): Statistics;
  profile(asked: AskedPlane, choice: ProfileChoice): ProfileResponse;
  /** The profile as one array: distances, rows, columns and values. */
  profileArrays(asked: AskedPlane, choice: ProfileChoice): Float64Array;
  traces(asked: AskedPlane, choice: TracesChoice): PlaneArray;
  coordinates(): MeasuredValues;
  planes(): PlaneColumns;
  metadata(): VendorMetadata;
  /** A value of the acquisition as OME-Zarr; `null` for a key that it does not have. */
  zarrValue(key: string, version: ZarrVersion): Uint8Array | null;
}

/** What the worker answers beside that. */
export interface WorkerAnswers {
  /** Opens a part of the files; `sessionId` of the answer names it from then on. */
  open(choice: ViewChoice): OpenResponse;
  close(sessionId: string): void;
  /** Like `plane`, but sends the first rows as parts while it reads. Returns the samples that no part had. */
  comingPlane(asked: AskedPlane, form: Form): NativeSamples;
}

type Calls = SessionAnswers & WorkerAnswers;
export type Method = keyof Calls;
export type Args<M extends Method> = Parameters<Calls[M]>;
export type Result<M extends Method> = ReturnType<Calls[M]>;

export type Request =
  | { kind: 'files'; given: GivenFiles }
  | { kind: 'call'; id: number; method: Method; sessionId: string | null; args: readonly unknown[] }
  | { kind: 'cancel'; id: number };

export type Reply =
  | { id: number; part: SentSamples }
  | { id: number; value: unknown }
  | { id: number; error: ErrorRecord };
