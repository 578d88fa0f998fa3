/** Messages between the pool and a worker. Errors cross as records: structured clone loses the fields of an Error. */

import type { VendorMetadata } from '@acquisition-store/client/contract/vendor-metadata.js';
import type { ErrorRecord } from '@acquisition-store/readers/base/errors.js';
import type { OverviewGrid } from '@acquisition-store/readers/derive/analysis/overview.js';
import type { AcquisitionInfo } from '@acquisition-store/readers/model/acquisition.js';
import type { PlaneTable, TablePart } from '@acquisition-store/readers/model/metadata/plane-table.js';
import type { Rounding } from '@acquisition-store/readers/model/samples/rounding.js';
import type { Fingerprint } from '../platform-node/file-source.js';
import type { Survey } from '../survey/survey.js';
import type { ChannelRequest, OpenedFile, OpenFile, PlaneRequest, SurveyedFile } from './types.js';

/** What a worker can be asked for, by name: what it is given, and what it answers. See `DecodeLease`. */
export interface Calls {
  open: { given: OpenFile; answer: OpenedFile };
  /** Given the index of a scene, as `metadata` is. */
  view: { given: number; answer: OpenedFile };
  info: { given: undefined; answer: AcquisitionInfo };
  survey: { given: SurveyedFile; answer: Survey };
  metadata: { given: number; answer: VendorMetadata };
  planes: { given: { scene: number; part: TablePart }; answer: PlaneTable };
  /** Of the last plane of an open: answers like `close`. */
  plane: { given: { plane: PlaneRequest; isLast: boolean }; answer: Fingerprint[] | undefined };
  overview: {
    given: { plane: ChannelRequest; grid: OverviewGrid };
    answer: Float32Array<ArrayBuffer> | undefined;
  };
  /** Given the files that others have read, as `close` is. */
  check: { given: readonly Fingerprint[] | undefined; answer: Fingerprint[] };
  close: { given: readonly Fingerprint[] | undefined; answer: Fingerprint[] };
  /** Closes what may be open, whatever has happened to it. */
  release: { given: undefined; answer: undefined };
  /** Gives back memory that the worker does not need. */
  rest: { given: undefined; answer: undefined };
}

/** A block of the memory of a plane. It is transferred with its message: it is never in two threads. */
export interface SentBlock {
  index: number;
  memory: ArrayBuffer;
  /** What the worker finds in it. */
  content: 'used' | 'zeros' | 'kept';
  /** A sample that float32 cannot hold; only in blocks that come back. */
  rounding?: Rounding;
}

export type Request =
  | {
      [Kind in keyof Calls]: {
        kind: Kind;
        id: number;
        given: Calls[Kind]['given'];
        /** The memory of a plane. */
        memory: PlaneStart | undefined;
      };
    }[keyof Calls]
  | { kind: 'block'; id: number; block: SentBlock }
  /** Ends the warm-up. */
  | { kind: 'stay cold' };

/** The memory of a plane, as a call begins. */
interface PlaneStart {
  rowsPerBlock: number;
  /** Number of blocks; those that are not in `blocks` follow one by one. */
  count: number;
  blocks: SentBlock[];
}

/** `blocks` are all that the worker still has at the end of the call. */
export type Reply =
  | { kind: 'ready' }
  /** A block that is filled. */
  | { kind: 'block'; id: number; block: SentBlock }
  /** The worker waits for this block. */
  | { kind: 'wanted'; id: number; index: number }
  | { kind: 'done'; id: number; value: Calls[keyof Calls]['answer']; blocks: SentBlock[] }
  | {
      kind: 'failed';
      id: number;
      blocks: SentBlock[];
      error: ErrorRecord;
      /** Of what nobody foresaw: it is for the log. */
      stack?: string;
      /** A storage that the path leads to, and that the worker may not touch. */
      crossing?: string;
      /** A module may have failed to load, and Node 20 never loads it again: the worker has to be replaced. */
      unusable?: boolean;
    };

/** Workers are started with this. */
export interface WorkerSetup {
  /** One Int32 that changes with every block that is sent: a worker that waits for one sleeps on it. */
  bell: SharedArrayBuffer;
  /** One Float64: when a client asked last, in milliseconds since 1970. Workers warm up while clients are away. */
  askedAt: SharedArrayBuffer;
  /** The first open gets this worker. It prepares at once, others when the server has been idle for a while. */
  isFirst: boolean;
}
