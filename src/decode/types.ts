import type { Selection } from '../contract/open.js';
import type { Fingerprint } from '../io/byte-source.js';
import type { Located } from '../paths/locate.js';
import type { SceneView } from '../selection.js';

/** What a worker is told to open. Every worker has one acquisition open at a time. */
export interface OpenFile {
  /** `ino` is missing when `expected` says which file it was. */
  located: Omit<Located, 'ino'> & Partial<Pick<Located, 'ino'>>;
  selection: Selection | undefined;
  /** Scene that an earlier open resolved; `selection` and `part` are ignored then. */
  scene?: number;
  allowedExtensions: readonly string[];
  /** Fingerprints from an earlier open: any difference is `source_changed`, before anything is read. */
  expected?: readonly Fingerprint[];
}

export interface OpenedFile {
  /** Bytes of the acquisition, see `OpenedAcquisition.size`. */
  size: number | undefined;
  /** Bytes of all files that were opened so far. */
  filesSize: number;
  /** How many workers can share the decoding of one plane. */
  bands: number;
  /** Bytes that each of them may take beside the plane while it decodes. */
  scratchBytes: number;
  view: SceneView;
}

/** Where a worker puts samples. While it does, `buffer` is detached; it is back, filled or not, when the call ends. */
export interface PlaneMemory {
  /** As long as the samples, or longer. Stays detached when the worker ends in the middle of the call. */
  buffer: ArrayBuffer;
  /** Holds other data: the worker zeroes it first. */
  readonly isUsed: boolean;
}

/** Rows of a plane that are asked for instead of the whole. */
export interface RowBand {
  first: number;
  count: number;
}

export type PlaneRequest =
  | { kind: 'channel'; scene: number; channel: number; t: number; z: number; band?: RowBand }
  | { kind: 'reference'; scene: number; channel: number };

export interface FileState {
  /** Every file that was read. */
  fingerprints: Fingerprint[];
  /** What happened to them since they were opened, in words; empty when they are as they were. */
  changes: string[];
}

/** A worker for a while. Calls go one after the other. */
export interface DecodeLease {
  /** @throws AcqError like `openAcquisition`, and `selection_out_of_range`, `source_changed` */
  open(file: OpenFile): Promise<OpenedFile>;
  /** Fills `memory` with one plane, or a band of it: row-major float32 of the scene's (or its reference's) columns. */
  plane(request: PlaneRequest, memory: PlaneMemory): Promise<void>;
  /** The files read so far, and whether they are as they were. */
  check(): Promise<FileState>;
  /** Like `check`; releases every descriptor. */
  close(): Promise<FileState>;
}

export interface LeaseOptions {
  /** What messages call the work: the name of the file. */
  label: string;
  /** Aborting it stops the work at once: a busy worker is terminated. Calls then throw its reason. */
  signal: AbortSignal;
  /** Aborting it lets another worker start: this one may hang in the system, and is not taken back. */
  suspect?: AbortSignal;
  /** Told when the worker is terminated: its thread has ended when the promise settles. */
  onKill?: (ended: Promise<unknown>) => void;
}

/** Where decoding happens. */
export interface Decoder {
  /**
   * Runs `work` with a worker of its own, waiting for one when all are busy. Whatever was opened is closed afterwards.
   * @throws AcqError `capacity_exceeded` when too many wait already; what `work` throws; the signal's reason
   */
  lease<T>(options: LeaseOptions, work: (lease: DecodeLease) => Promise<T>): Promise<T>;
  /** Like `lease`, if a worker is free this moment. */
  tryLease<T>(options: LeaseOptions, work: (lease: DecodeLease) => Promise<T>): Promise<T> | undefined;
  /**
   * Resolves when work can begin.
   * @throws AcqError `capacity_exceeded`, `internal_error` when no worker can be started
   */
  ready(): Promise<void>;
  /** Terminates every worker. @returns whether all of their threads have ended: one that hangs in the system has not */
  close(): Promise<boolean>;
}
