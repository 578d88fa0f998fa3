import type { Interpretation } from '@acquisition-store/client/contract/interpretation.js';
import type { Selection } from '@acquisition-store/client/contract/open.js';
import type { VendorMetadata } from '@acquisition-store/client/contract/vendor-metadata.js';
import type { OverviewGrid } from '@acquisition-store/readers/derive/analysis/overview.js';
import type { PlanProjection } from '@acquisition-store/readers/derive/projection.js';
import type { AcquisitionInfo } from '@acquisition-store/readers/model/acquisition.js';
import type { PlaneTable, TablePart } from '@acquisition-store/readers/model/metadata/plane-table.js';
import type { Parts } from '@acquisition-store/readers/model/recording.js';
import type { Rounding } from '@acquisition-store/readers/model/samples/rounding.js';
import type { SampleType } from '@acquisition-store/readers/model/samples/types.js';
import type { SceneView } from '@acquisition-store/readers/model/selection.js';
import type { Who } from '../fair-line.js';
import type { Located, LocateRequest } from '../paths/locate.js';
import type { Fingerprint } from '../platform-node/file-source.js';
import type { Survey } from '../survey/survey.js';

/** An acquisition for a worker to open. A worker has one acquisition open at a time. */
export interface OpenFile {
  /** `ino` is missing when `expected` says which file it was. A path on storages that answer is located by the worker. */
  located: Located | LocateRequest;
  selection: Selection | undefined;
  /** What the caller says the planes are. */
  interpret?: Interpretation | undefined;
  /** `all`: opens the recording that the file is a part of. */
  parts?: Parts | undefined;
  /** Scene that an earlier open has resolved; `selection` and `part` are then ignored. */
  scene?: number;
  allowedExtensions: readonly string[];
  /** Fingerprints from an earlier open: any difference is `source_changed`, before the file is read. */
  expected?: readonly Fingerprint[];
  /**
   * Digest of the first bytes of the main file, from an open on another machine: another one is `source_changed`. An empty
   * one asks for the digest.
   */
  head?: string;
}

/** An acquisition for a worker to survey. */
export interface SurveyedFile extends Pick<OpenFile, 'located' | 'allowedExtensions'> {
  /** Draws the first plane. */
  thumbnail: boolean;
  /** See `SurveyOptions`. */
  wholeOf: 'first' | 'any';
}

export interface OpenedFile {
  located: Located;
  /** Bytes of the acquisition, see `OpenedAcquisition.size`. */
  size: number | undefined;
  /** Bytes of all files opened so far. */
  filesSize: number;
  /** How many workers can share the decoding of one plane. */
  bands: number;
  /** The channels are stored together, see `Acquisition.interleaved`. */
  interleaved: boolean;
  /** All channels of a plane are read in one pass, see `Acquisition.readsOnce`. */
  readsOnce?: boolean;
  /** Bytes that each of them may take in addition to the plane while it decodes. */
  scratchBytes: number;
  /** All files that were read so far. */
  fingerprints: Fingerprint[];
  /** Planes are in no other files, see `OpenedAcquisition.isWhole`. */
  isWhole: boolean;
  /** Digest of the first bytes of the main file, when it was asked for. */
  head?: string;
  /** What the planes were said to be. */
  interpret?: Interpretation | undefined;
  /** `all` when all files of the recording were opened. */
  parts?: Parts | undefined;
  view: SceneView;
}

/** Memory of a plane, or a band of it, for a worker to fill: blocks of whole rows, in order. */
export interface PlaneMemory {
  /** Rows of each block; the last one may have fewer. */
  readonly rowsPerBlock: number;
  readonly blocks: readonly BlockMemory[];
  /** Blocks that are filled at the same time: one when omitted. */
  readonly atOnce?: number;
}

/**
 * Memory for some rows. `buffer` is detached while the worker has it, and returns, filled or not, when the call ends at
 * the latest. It stays detached when the worker ends during the call.
 */
export interface BlockMemory {
  buffer: ArrayBuffer;
  readonly byteLength: number;
  /** The memory contains samples of another plane, which the worker overwrites or zeroes. */
  readonly isUsed: boolean;
  /** Set when the block comes back: a sample that float32 cannot hold. */
  rounding?: Rounding;
}

/** Rows of a plane, requested instead of the whole plane. */
export interface RowBand {
  first: number;
  count: number;
}

/** What a worker fills memory with. */
interface WantedSamples {
  /** Type of the memory: that of the file, see `nativeType`, or float32. */
  type: SampleType;
  /** All reduced levels of the plane, one after the other, as one column; only in the type of the file. */
  levels?: boolean;
}

export interface ChannelRequest extends WantedSamples {
  kind: 'channel';
  scene: number;
  channel: number;
  t: number;
  z: number;
  /** Only for planes that are neither projections nor levels. */
  band?: RowBand;
  /**
   * Channels that are read in the same call, `channel` first: the memory has a block of the first rows of each, then a
   * block of the next rows of each, and so on. Only for planes that are neither projections nor levels.
   */
  together?: readonly number[];
  /** Wanted instead of the plane at its own place along the dimension; only as float32. */
  projection?: PlanProjection;
}

export interface ReferenceRequest extends WantedSamples {
  kind: 'reference';
  scene: number;
  channel: number;
}

export type PlaneRequest = ChannelRequest | ReferenceRequest;

/** A worker on loan. Calls run one after the other. */
export interface DecodeLease {
  /** The file that is open already, from an earlier lease with the same `keep`: it may be read without `open`. */
  readonly opened?: OpenedFile | undefined;
  /**
   * @throws AcqError like `openAcquisition`, and `selection_out_of_range`, `source_changed`; `Crossing` when the worker was to locate
   * the path, and it leads to another storage than its last one
   */
  open(file: OpenFile): Promise<OpenedFile>;
  /** Returns the facts of another scene of the open acquisition. @throws AcqError like `open` */
  view(scene: number): Promise<OpenedFile>;
  /** Returns what the acquisition contains, with all of its scenes. */
  info(): Promise<AcquisitionInfo>;
  /**
   * Says what lists show of an acquisition, which it opens and closes: nothing else may be open.
   * @throws AcqError like `open`
   */
  survey(file: SurveyedFile): Promise<Survey>;
  /** Reads the vendor's own metadata. @throws AcqError `decode_failed` */
  metadata(scene: number): Promise<VendorMetadata>;
  /** Reads what the file says of single planes of a scene. @throws AcqError `decode_failed` */
  planes(scene: number, part: TablePart): Promise<PlaneTable>;
  /**
   * Fills `memory` with a plane, or a band of it, row-major, as wide as the scene (or its reference image).
   * @param isLast does what `close` does after the plane, and returns the same: one message less for each open
   */
  plane(request: PlaneRequest, memory: PlaneMemory, isLast?: boolean): Promise<Fingerprint[] | undefined>;
  /**
   * Reads a plane and returns the cells of its overview, see `OverviewRun`, without keeping the plane. Returns nothing when
   * the reader does not read rows in order.
   */
  overview(request: ChannelRequest, grid: OverviewGrid): Promise<Float32Array<ArrayBuffer> | undefined>;
  /**
   * Returns the fingerprints of all files read so far, none of which has changed since.
   * @param further files that others have read, which must not have changed either
   * @throws AcqError `source_changed`
   */
  check(further?: readonly Fingerprint[]): Promise<Fingerprint[]>;
  /** Like `check`; releases every descriptor, also when it throws. */
  close(further?: readonly Fingerprint[]): Promise<Fingerprint[]>;
}

export interface LeaseOptions {
  /** Name of the file, for messages. */
  label: string;
  /** Whose work it is: parties take turns. */
  who?: Who;
  /** Stops the work at once when it aborts: a busy worker is terminated, and calls throw the reason. */
  signal: AbortSignal;
  /**
   * Names the file to open. When the work leaves it open, the worker keeps it for the next lease with this name, but gives
   * it up after a moment, as soon as anybody waits for a worker, or when `letGo` is called.
   */
  keep?: string;
  /** Lets another worker start when it aborts: this one may be stuck in a system call. */
  suspect?: AbortSignal;
  /** Called when the worker is terminated, with a promise that settles when its thread has ended. */
  onKill?: (ended: Promise<unknown>) => void;
}

/** Workers by what they do, and leases that wait for one. */
export interface Occupancy {
  busy: number;
  idle: number;
  stuck: number;
  waiting: number;
}

/** Where decoding happens. */
export interface Decoder {
  /**
   * Runs `work` with a worker of its own, waiting for one when all are busy. Whatever was opened is closed afterwards,
   * unless it is kept.
   * @throws AcqError `capacity_exceeded` when too many wait already; what `work` throws; the signal's reason
   */
  lease<T>(options: LeaseOptions, work: (lease: DecodeLease) => Promise<T>): Promise<T>;
  /** Like `lease`, if a worker is free this moment: one that keeps the file open, or one that is idle. */
  tryLease<T>(options: LeaseOptions, work: (lease: DecodeLease) => Promise<T>): Promise<T> | undefined;
  /** Closes the file that leases keep by this name, at the latest when those that run have ended. */
  letGo(keep: string): void;
  /**
   * Resolves when work can begin.
   * @throws AcqError `capacity_exceeded`, `internal_error` when no worker can be started
   */
  ready(): Promise<void>;
  /** What its workers do, if it has any. */
  readonly occupancy?: Occupancy;
  /** Lets workers put off what nobody waits for: a client has asked for something, or has got it. */
  noteClient?(): void;
  /** Lets each idle worker give back memory, one after the other, while `goesOn` is true. */
  rest?(goesOn: () => boolean): Promise<void>;
  /** Terminates every worker. @returns whether all of their threads have ended: one that hangs in the system has not */
  close(): Promise<boolean>;
}
