/** Line scans that end inside a subblock: the scan was stopped, or the file is cut. Whole lines are served. */
import type { ByteSource } from '../../io/byte-source.js';
import { SAMPLE_ARRAYS } from '../../samples/types.js';
import type { BlockShape, BlockTable } from './blocks.js';
import { pixelTypeOf } from './pixel-types.js';
import { samplesOf } from './plan.js';
import { readSubblock } from './subblock.js';

/** Subblocks whose size is looked up; the last ones of the channels of a recording. */
const MAX_LOOKED_UP = 256;

/** Raw lines along T, which is the slowest dimension: they lie in the file one after the other. */
export function isRunOfLines(shape: BlockShape): boolean {
  const slowest = shape.order.filter(({ stored }) => stored > 1).at(-1);
  const raw = shape.compression === 0 && shape.pixelType >= 0 && shape.pixelType <= 9 && !shape.reduced;
  return raw && shape.size.Y === 1 && slowest?.name === 'T';
}

/** The runs of lines that end the recording, and the one that ends the file: those that may be shorter than they claim. */
export function lastRuns(table: BlockTable): number[] {
  let last = Number.NEGATIVE_INFINITY;
  let found: number[] = [];
  let behind = -1;
  for (let block = 0; block < table.length; block++) {
    const shape = table.shape(block);
    if (!isRunOfLines(shape)) continue;
    if (behind < 0 || table.position(block) > table.position(behind)) behind = block;
    const end = table.start(block, 'T') + shape.size.T;
    if (end > last) found = [];
    last = Math.max(last, end);
    if (end === last) found.push(block);
  }
  return behind < 0 ? [] : [...new Set([behind, ...found])].slice(0, MAX_LOOKED_UP);
}

/**
 * Shortens the runs of lines that hold fewer bytes than they claim to the lines that are there.
 * @returns blocks that hold no line at all
 */
export function shortenRuns(
  table: BlockTable,
  sourceOf: (part: number) => ByteSource,
  blocks: readonly number[],
  warnings: string[],
): Set<number> {
  const empty = new Set<number>();
  for (const block of blocks) {
    const shape = table.shape(block);
    const lines = linesThere(sourceOf(table.part(block)), table.position(block), shape);
    if (lines >= shape.size.T) continue;
    const start = table.start(block, 'T');
    warnings.push(
      `The lines from ${start} on of channel ${table.start(block, 'C') + 1} are announced as ${shape.size.T}; ` +
        `the file holds ${lines} of them, which are served.`,
    );
    if (lines === 0) empty.add(block);
    else table.reshape(block, withLines(shape, lines));
  }
  return empty;
}

function linesThere(source: ByteSource, position: number, shape: BlockShape): number {
  const type = pixelTypeOf(shape.pixelType);
  const width = SAMPLE_ARRAYS[type.sample].BYTES_PER_ELEMENT;
  const lineBytes = (samplesOf(shape, type) / shape.stored.T) * width;
  const { dataStart, dataSize } = readSubblock(source, position);
  const bytes = Math.min(dataSize, source.size - position - dataStart);
  return Math.max(0, Math.floor(bytes / lineBytes));
}

function withLines(shape: BlockShape, lines: number): BlockShape {
  const order = shape.order.map((one) => (one.name === 'T' ? { name: one.name, size: lines, stored: lines } : one));
  return { ...shape, order, size: { ...shape.size, T: lines }, stored: { ...shape.stored, T: lines } };
}
