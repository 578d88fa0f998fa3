import { AcqError, decodeFailed } from '../errors.js';
import type { ByteSource } from '../io/byte-source.js';
import { LIMITS } from '../io/limits.js';
import { grouped, plural } from '../wording.js';
import { readU64, type TiffHeader } from './header.js';
import type { ReadWindow } from './read-window.js';

export interface Chain {
  /** Offset of every IFD of the main chain. */
  offsets: Float64Array;
  warnings: string[];
}

/**
 * Follows the next-IFD pointers. A chain that breaks behind its first IFD keeps the pages up to there and says so: an
 * interrupted recording is still a recording.
 * @throws AcqError `decode_failed` when the first IFD is unusable
 */
export function walkChain(source: ByteSource, window: ReadWindow, header: TiffHeader): Chain {
  const list = new OffsetList();
  const warnings: string[] = [];
  const cycle = new CycleDetector();
  let offset = header.firstIfd;
  if (offset === 0) throw decodeFailed(`${source.name}: has no page; its header names no IFD`);
  while (offset !== 0) {
    if (list.length === LIMITS.tiffPages) {
      warnings.push(`${source.name}: has more than ${grouped(LIMITS.tiffPages)} pages; the rest is not read`);
      break;
    }
    const period = cycle.next(offset);
    if (period > 0) {
      const kept = list.firstRound(period);
      warnings.push(
        `${source.name}: the chain of pages runs in a circle after ${plural(kept, 'page')}; the rest was ignored`,
      );
      return { offsets: list.take(kept), warnings };
    }
    const step = followIfd(source, window, header, offset, list.length);
    if (step.page) list.push(offset);
    if (step.warning) warnings.push(step.warning);
    offset = step.next;
  }
  return { offsets: list.take(list.length), warnings };
}

interface Step {
  next: number;
  page: boolean;
  warning?: string;
}

function followIfd(source: ByteSource, window: ReadWindow, header: TiffHeader, offset: number, index: number): Step {
  try {
    const span = measureIfd(source, window, header, offset);
    const nextAt = offset + span;
    const pointer = header.bigTiff ? 8 : 4;
    if (nextAt + pointer > source.size) {
      const warning = `${source.name}: ends inside the IFD of page ${index}; pages behind it, if any, are lost`;
      return { next: 0, page: true, warning };
    }
    const at = window.at(nextAt, pointer);
    const next = header.bigTiff
      ? readU64(window.view, at, header.littleEndian)
      : window.view.getUint32(at, header.littleEndian);
    return { next, page: true };
  } catch (error) {
    if (index === 0 || !(error instanceof AcqError)) throw error;
    const warning =
      `${source.name}: the chain of pages breaks after ${plural(index, 'page')} (${reason(source, error)}); ` +
      'the recording may have been interrupted or the file cut short';
    return { next: 0, page: false, warning };
  }
}

/** The message without the name of the file, which already stands before it. */
function reason(source: ByteSource, error: AcqError): string {
  return error.message.replace(`${source.name}: `, '');
}

/**
 * Bytes from the start of an IFD to its next-IFD pointer.
 * @throws AcqError `decode_failed` when it is no IFD or not inside the file
 */
export function measureIfd(
  source: ByteSource,
  window: ReadWindow,
  header: { littleEndian: boolean; bigTiff: boolean },
  offset: number,
): number {
  const { littleEndian, bigTiff } = header;
  const countSize = bigTiff ? 8 : 2;
  if (offset < 8 || offset + countSize > source.size) {
    throw decodeFailed(`${source.name}: an IFD is said to be at offset ${offset}, but the file ends at ${source.size}`);
  }
  const at = window.at(offset, countSize);
  const count = bigTiff ? readU64(window.view, at, littleEndian) : window.view.getUint16(at, littleEndian);
  if (count === 0 || count > LIMITS.tiffTags) {
    throw decodeFailed(
      `${source.name}: what is at offset ${offset} is no IFD: it claims ${count} tags (1–${LIMITS.tiffTags} are possible)`,
    );
  }
  const span = countSize + count * (bigTiff ? 20 : 12);
  if (offset + span > source.size) {
    throw decodeFailed(
      `${source.name}: the IFD at offset ${offset} needs ${span} bytes, but the file ends at ${source.size}`,
    );
  }
  return span;
}

/** Growing list of numbers without an object per page. */
class OffsetList {
  length = 0;
  private values = new Float64Array(64);

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Float64Array(this.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.length++] = value;
  }

  take(count: number): Float64Array {
    return this.values.slice(0, count);
  }

  /** Length of the walk before it repeats itself, given the period of its circle. */
  firstRound(period: number): number {
    for (let i = 0; i + period < this.length; i++) {
      if (this.values[i] === this.values[i + period]) return i + period;
    }
    return this.length;
  }
}

/** Brent's cycle detection: no memory of the visited offsets, however long the chain. */
class CycleDetector {
  private mark = Number.NaN;
  private power = 1;
  private steps = 0;

  /** Period of the circle when `offset` closes one, else 0. */
  next(offset: number): number {
    this.steps++;
    if (offset === this.mark) return this.steps;
    if (this.steps === this.power) {
      this.mark = offset;
      this.power *= 2;
      this.steps = 0;
    }
    return 0;
  }
}
