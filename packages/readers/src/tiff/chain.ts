import { AcqError, decodeFailed } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { asCorrupted } from '../base/warning-kinds.js';
import { grouped, plural, subjectFirst } from '../base/wording.js';
import type { ByteSource } from '../io/byte-source.js';
import { readU64, type TiffHeader } from './header.js';
import type { ReadWindow } from './read-window.js';

export interface Chain {
  /** Offsets of the IFDs of the main chain. */
  offsets: Float64Array;
  warnings: string[];
}

/**
 * Follows the next-IFD pointers. If the chain breaks after its first IFD, returns the pages before the break and a
 * warning: an interrupted recording is still worth opening.
 * @throws AcqError `decode_failed` if the first IFD is unusable
 */
export function walkChain(source: ByteSource, window: ReadWindow, header: TiffHeader): Chain {
  const list = new OffsetList();
  const warnings: string[] = [];
  const cycle = new CycleDetector();
  let offset = header.firstIfd;
  if (offset === 0) throw decodeFailed('has no pages; the header contains no IFD offset');
  while (offset !== 0) {
    if (list.length === LIMITS.tiffPages) {
      warnings.push(
        subjectFirst(
          source.name,
          `has more pages than the limit of ${grouped(LIMITS.tiffPages)}; the others were ignored`,
        ),
      );
      break;
    }
    const period = cycle.next(offset);
    if (period > 0) {
      const kept = list.lengthBeforeLoop(period);
      warnings.push(
        subjectFirst(
          source.name,
          `the chain of pages contains a loop after ${plural(kept, 'page')}; only these are shown`,
        ),
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

interface ChainStep {
  next: number;
  page: boolean;
  warning?: string;
}

function followIfd(
  source: ByteSource,
  window: ReadWindow,
  header: TiffHeader,
  offset: number,
  index: number,
): ChainStep {
  try {
    const span = measureIfd(source, window, header, offset);
    const nextAt = offset + span;
    const pointer = header.bigTiff ? 8 : 4;
    if (nextAt + pointer > source.size) {
      const warning = `is truncated inside the IFD of page ${index + 1}; pages after it, if any, are lost`;
      return { next: 0, page: true, warning: asCorrupted(subjectFirst(source.name, warning)) };
    }
    const at = window.at(nextAt, pointer);
    const next = header.bigTiff
      ? readU64(window.view, at, header.littleEndian)
      : window.view.getUint32(at, header.littleEndian);
    return { next, page: true };
  } catch (error) {
    if (index === 0 || !(error instanceof AcqError)) throw error;
    const warning =
      `the chain of pages breaks after ${plural(index, 'page')} (${error.statement}); ` +
      'the recording may have been interrupted, or the file truncated';
    return { next: 0, page: false, warning: asCorrupted(subjectFirst(source.name, warning)) };
  }
}

/**
 * Returns the bytes from the start of an IFD to its next-IFD pointer.
 * @throws AcqError `decode_failed` if there is no IFD at `offset`, or if it falls outside the file
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
    throw decodeFailed(`expected an IFD at offset ${grouped(offset)}, but the file ends at ${grouped(source.size)}`);
  }
  const at = window.at(offset, countSize);
  const count = bigTiff ? readU64(window.view, at, littleEndian) : window.view.getUint16(at, littleEndian);
  if (count === 0 || count > LIMITS.tiffTags) {
    throw decodeFailed(
      `expected an IFD at offset ${grouped(offset)}, but it lists ${grouped(count)} tags (1 to ${grouped(LIMITS.tiffTags)} are valid)`,
    );
  }
  const span = countSize + count * (bigTiff ? 20 : 12);
  if (offset + span > source.size) {
    throw decodeFailed(
      `the IFD at offset ${grouped(offset)} has ${grouped(span)} bytes, but the file ends at ${grouped(source.size)}`,
    );
  }
  return span;
}

/** A growing list of numbers without an object per page. */
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

  /** Returns the number of offsets before the walk repeats itself, given the period of its loop. */
  lengthBeforeLoop(period: number): number {
    for (let i = 0; i + period < this.length; i++) {
      if (this.values[i] === this.values[i + period]) return i + period;
    }
    return this.length;
  }
}

/** Brent's cycle detection, which needs no memory of the visited offsets. */
class CycleDetector {
  private mark = Number.NaN;
  private power = 1;
  private steps = 0;

  /** Returns the period of the loop that `offset` closes, or 0. */
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
