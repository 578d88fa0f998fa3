import { grouped } from '../../base/wording.js';
/** Line scans that end inside a subblock, because the scan was stopped or the file is truncated. */
import type { ByteSource } from '../../io/byte-source.js';
import { SAMPLE_ARRAYS } from '../../model/samples/types.js';
import type { BlockShape, SubblockTable } from './blocks.js';
import { findPixelType } from './pixel-types.js';
import { countSamples } from './plan.js';
import { readSubblock } from './subblock.js';

/** Subblocks whose size is looked up: the last ones of the channels of a recording. */
const MAX_LOOKUPS = 256;

/** True for raw lines along T that are stored one after the other, because T is the slowest dimension. */
export function isRunOfLines(shape: BlockShape): boolean {
  const slowest = shape.order.filter(({ stored }) => stored > 1).at(-1);
  const raw = shape.compression === 0 && shape.pixelType >= 0 && shape.pixelType <= 9 && !shape.reduced;
  return raw && shape.size.Y === 1 && slowest?.name === 'T';
}

/**
 * Finds the runs of lines that may be shorter than the directory says: the last ones of the recording, and the last one
 * in the file.
 */
export function findLastRuns(table: SubblockTable): number[] {
  let lastLine = Number.NEGATIVE_INFINITY;
  let runs: number[] = [];
  let lastInFile = -1;
  for (let block = 0; block < table.length; block++) {
    const shape = table.shape(block);
    if (!isRunOfLines(shape)) continue;
    if (lastInFile < 0 || table.position(block) > table.position(lastInFile)) lastInFile = block;
    const end = table.start(block, 'T') + shape.size.T;
    if (end > lastLine) runs = [];
    lastLine = Math.max(lastLine, end);
    if (end === lastLine) runs.push(block);
  }
  return lastInFile < 0 ? [] : [...new Set([lastInFile, ...runs])].slice(0, MAX_LOOKUPS);
}

/**
 * Gives a run the number of lines that the file contains. A run without any line keeps its shape.
 * @returns that number, with a warning when it is less than the directory says
 */
export function shortenRun(table: SubblockTable, source: ByteSource, run: number): { lines: number; warning?: string } {
  const shape = table.shape(run);
  const listed = shape.size.T;
  const lines = countLines(source, table.position(run), shape);
  if (lines >= listed) return { lines: listed };
  if (lines > 0) table.reshape(run, withLines(shape, lines));
  const available = lines === 0 ? 'none' : `only ${grouped(lines)}`;
  const [start, channel] = [table.start(run, 'T'), table.start(run, 'C') + 1];
  return {
    lines,
    warning: `The file contains ${available} of the ${grouped(listed)} lines of channel ${channel} that start at T = ${start}.`,
  };
}

/** Returns how many lines of a run the file contains whole. */
function countLines(source: ByteSource, position: number, shape: BlockShape): number {
  const type = findPixelType(shape.pixelType);
  const width = SAMPLE_ARRAYS[type.sample].BYTES_PER_ELEMENT;
  const lineBytes = (countSamples(shape, type) / shape.stored.T) * width;
  const { dataStart, dataSize } = readSubblock(source, position);
  const bytes = Math.min(dataSize, source.size - position - dataStart);
  return Math.max(0, Math.floor(bytes / lineBytes));
}

function withLines(shape: BlockShape, lines: number): BlockShape {
  const order = shape.order.map((dimension) => {
    return dimension.name === 'T' ? { name: dimension.name, size: lines, stored: lines } : dimension;
  });
  return { ...shape, order, size: { ...shape.size, T: lines }, stored: { ...shape.stored, T: lines } };
}
