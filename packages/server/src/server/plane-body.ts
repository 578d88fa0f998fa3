/** Bodies of answers that are sent from the memory of planes. */
import { Readable, type Writable } from 'node:stream';
import {
  copySamples,
  planeByteLength,
  type SourceData,
  slicePlane,
} from '@acquisition-store/readers/model/samples/plane-data.js';
import type { SampleType } from '@acquisition-store/readers/model/samples/types.js';

const SAMPLE_BYTES = Float32Array.BYTES_PER_ELEMENT;
/** Bytes that are converted at a time: they stay in the caches of the processor until the system has copied them. */
const PIECE_BYTES = 2 ** 18;
/** Pieces of one answer: one is filled while the system takes the other. */
const PIECES = 2;
/**
 * Bytes that an answer sends before its pieces wait for a turn of others; with two pieces up to twice as many. That is some
 * milliseconds of work. With a turn after each piece an answer took a tenth longer.
 */
const TURN_BYTES = 2 ** 21;
/** Pieces that are kept for the next answers. */
const MAX_KEPT = 16;

/** Returns the bytes of memory that `planeBody` takes beside the plane. */
export function bodyBytes(data: SourceData, type: SampleType): number {
  if (data.sampleType === type) return 0;
  return Math.min(PIECES * PIECE_BYTES, planeByteLength({ ...data, sampleType: type }));
}

/**
 * Returns a body of bytes `start` … `end` (exclusive) of a plane as samples of a type.
 * @param type that of the plane, or float32: then samples are converted while they are sent
 * @param head comes before them
 */
export function planeBody(
  data: SourceData,
  type: SampleType,
  start: number,
  end: number,
  head: Uint8Array = new Uint8Array(),
): Buffer | Readable {
  if (data.sampleType === type) {
    const views = slicePlane(data, start, end);
    return toBody(head.length > 0 ? [head, ...views] : views);
  }
  if (type !== 'float32') throw new Error(`a plane of ${data.sampleType} cannot be sent as ${type}`);
  return new ConvertedStream(data, start, end, head);
}

/** Returns a body that sends the views one after the other, without copying. */
export function toBody(views: Uint8Array[]): Buffer | Readable {
  const buffers = views.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));
  return buffers.length > 1 ? new ViewStream(buffers) : (buffers[0] ?? Buffer.alloc(0));
}

/**
 * Views of memory that stays until they are sent. A pipe would wait for the socket after each of them; all of them are
 * handed over at once instead, which takes no memory and lets the system gather them.
 */
class ViewStream extends Readable {
  private readonly views: readonly Buffer[];

  constructor(views: readonly Buffer[]) {
    super();
    this.views = views;
  }

  override _read(): void {
    this.push(null);
  }

  override pipe<T extends NodeJS.WritableStream>(target: T): T {
    for (const view of this.views) target.write(view);
    target.end();
    this.resume();
    return target;
  }
}

const kept: ArrayBuffer[] = [];

/** Returns memory of whole samples for the next of `left` bytes, which may begin and end inside a sample. */
function takePiece(left: number): ArrayBuffer {
  const needed = (Math.ceil(left / SAMPLE_BYTES) + 1) * SAMPLE_BYTES;
  return needed < PIECE_BYTES ? new ArrayBuffer(needed) : (kept.pop() ?? new ArrayBuffer(PIECE_BYTES));
}

/**
 * A plane that becomes float32 piece by piece, as fast as the client takes it. A pipe would need new memory for each piece: it does
 * not say when one has been sent.
 */
class ConvertedStream extends Readable {
  private readonly data: SourceData;
  private readonly end: number;
  private readonly head: Uint8Array;
  private next: number;
  /** Bytes since others had a turn. */
  private inTurn = 0;
  private target: Writable | undefined;

  constructor(data: SourceData, start: number, end: number, head: Uint8Array) {
    super();
    this.data = data;
    this.head = head;
    this.next = start;
    this.end = end;
  }

  override _read(): void {
    // It ends when the last piece has been sent.
  }

  override pipe<T extends NodeJS.WritableStream>(target: T): T {
    this.target = target as unknown as Writable;
    if (this.head.length > 0) target.write(this.head);
    for (let i = 0; i < PIECES && this.next < this.end; i++) {
      this.sendNext(takePiece(this.end - this.next));
    }
    return target;
  }

  /** Fills a piece and sends it, and again when it has been sent, after a turn of others now and then. */
  private sendNext(memory: ArrayBuffer): void {
    const target = this.target!;
    // The client has left, and the plane may be gone.
    if (target.destroyed || this.destroyed || this.next === this.end) return;
    const first = Math.floor(this.next / SAMPLE_BYTES);
    const start = first * SAMPLE_BYTES;
    const end = Math.min(this.end, start + memory.byteLength);
    copySamples(this.data, first, new Float32Array(memory, 0, Math.ceil((end - start) / SAMPLE_BYTES)));
    const part = Buffer.from(memory, this.next - start, end - this.next);
    this.next = end;
    this.inTurn += part.length;
    target.write(part, (error) => {
      if (error) return;
      if (this.next < this.end) this.goOn(memory);
      else if (kept.length < MAX_KEPT && memory.byteLength === PIECE_BYTES) kept.push(memory);
    });
    if (this.next < this.end) return;
    target.end();
    this.push(null);
    this.resume();
  }

  private goOn(memory: ArrayBuffer): void {
    if (this.inTurn < TURN_BYTES) {
      this.sendNext(memory);
      return;
    }
    setImmediate(() => {
      this.inTurn = 0;
      this.sendNext(memory);
    });
  }
}
