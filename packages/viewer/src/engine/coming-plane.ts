/** Sends the rows of a plane that have been read while the others are read. */
import type { NativeSamples } from '@acquisition-store/client';
import { NativeTarget, type SamplePiece } from '@acquisition-store/readers/model/samples/plane-target.js';

/** Milliseconds between two parts: a plane that is read faster is sent as a whole. */
const INTERVAL = 50;
/** Parts that a plane is sent in at most, so that those of an hour are not counted in thousands. */
const MAX_PARTS = 100;

/** Samples that follow those of the part before. The first part has all of the plane, of which only its start has been read. */
export interface SentSamples {
  samples: NativeSamples;
  /** Index of its first sample. */
  at: number;
  /** Bytes of the plane that have come with it. */
  received: number;
}

/** Takes how many rows at the start of a plane are complete: fewer than before when some were written again. */
export type OnRows = (target: NativeTarget, rows: number) => void;

/** Receives a plane, and tells when its first rows are complete. Rows that come in another order are told with the last of them. */
export class ComingTarget extends NativeTarget {
  private readonly onRows: OnRows;
  private complete = 0;
  /** Rows that follow the complete ones, and how many of their columns have come. */
  private band = { rows: 0, columns: 0 };

  constructor(plane: ConstructorParameters<typeof NativeTarget>, onRows: OnRows) {
    super(...plane);
    this.onRows = onRows;
  }

  override put(piece: SamplePiece, row: number, column: number, rows: number, columns: number): void {
    super.put(piece, row, column, rows, columns);
    // Tiles that lie on top of others change rows that were complete.
    if (row < this.complete) this.tell(row);
    const { band } = this;
    if (row !== this.complete || column !== band.columns) return;
    band.rows = column === 0 ? rows : Math.min(band.rows, rows);
    band.columns += columns;
    if (band.columns < this.columns) return;
    this.tell(this.complete + band.rows);
  }

  private tell(complete: number): void {
    this.complete = complete;
    this.band = { rows: 0, columns: 0 };
    this.onRows(this, complete);
  }
}

/** What has been sent of a plane. Rows that were written again after that are sent at the end. */
export class PlaneParts {
  private readonly send: (part: SentSamples) => void;
  private sent = 0;
  private next = performance.now() + INTERVAL;

  constructor(send: (part: SentSamples) => void) {
    this.send = send;
  }

  /** Sends what is new, when the last part was sent some time ago. */
  readonly add: OnRows = ({ data, columns }, rows) => {
    const end = rows * columns;
    if (end < this.sent) {
      this.sent = end;
      this.next = Number.POSITIVE_INFINITY;
    }
    if (performance.now() < this.next || end - this.sent < data.length / MAX_PARTS || end === data.length) return;
    const samples = (this.sent === 0 ? data.slice() : data.slice(this.sent, end)) as NativeSamples;
    this.send({ samples, at: this.sent, received: end * data.BYTES_PER_ELEMENT });
    this.sent = end;
    this.next = performance.now() + INTERVAL;
  };

  /** Returns a copy of what was not sent. */
  rest(samples: NativeSamples): NativeSamples {
    return samples.slice(this.sent);
  }
}
