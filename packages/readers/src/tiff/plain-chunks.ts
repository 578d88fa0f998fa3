import { type LentRows, lendRows } from '../model/samples/lent-rows.js';
import type { Rectangle } from '../model/samples/plane-target.js';
import { type SampleArray, storedBytes } from '../model/samples/types.js';
import { chunkRows, readChunkTable, rowBytes, rowSamples } from './chunk-table.js';
import { isPacked } from './packed-bits.js';
import { type PageJob, putUnwritten } from './page-job.js';
import { reverseBits, toSamples } from './samples.js';

/** Bytes per read: large enough to hide the cost of a read, small enough for the processor's cache. */
const PIECE = 2 ** 20;

/** Uncompressed rows that are consecutive in the file. */
export interface RowRun extends Rectangle {
  offset: number;
}

/**
 * Reads an uncompressed page piece by piece, without allocating a plane in the type of the file. Strips that are neighbors
 * both in the plane and in the file are read as one.
 */
export async function readPlain(job: PageJob): Promise<void> {
  for (const run of planRuns(job)) {
    if (run.offset === 0) putUnwritten(job, run);
    else await readRun(job, run);
  }
}

function* planRuns(job: PageJob): Generator<RowRun> {
  const { layout, picks } = job;
  const table = readChunkTable(job.file, job.page);
  const base = layout.planar ? (picks[0]?.sample ?? 0) * table.perPlane : 0;
  let run: RowRun | undefined;
  let end = 0;
  for (let i = 0; i < table.perPlane; i++) {
    const offset = table.offsets[base + i]!;
    const down = Math.floor(i / table.across);
    const row = down * layout.chunkHeight;
    const column = (i % table.across) * layout.chunkWidth;
    const rows = Math.min(chunkRows(layout, down), layout.height - row);
    const columns = Math.min(layout.chunkWidth, layout.width - column);
    if (run && table.across === 1 && offset === end && offset !== 0 && run.offset !== 0) run.rows += rows;
    else {
      if (run) yield run;
      run = { offset, row, rows, column, columns };
    }
    end = offset === 0 ? 0 : offset + table.counts[base + i]!;
  }
  if (run) yield run;
}

/** Reads rows that are consecutive in the file. A row has the width of the layout's chunks. */
export async function readRun(job: PageJob, run: RowRun): Promise<void> {
  const { layout, pace } = job;
  const bytesPerRow = rowBytes(layout);
  if (bytesPerRow > 4 * PIECE) return await readWideRows(job, run, bytesPerRow);
  const rowsAtOnce = Math.max(1, Math.floor(PIECE / bytesPerRow));
  let buffer: Uint8Array | undefined;
  for (let r = 0, rows: number; r < run.rows; r += rows) {
    rows = Math.min(rowsAtOnce, run.rows - r);
    if (!isWanted(job, run.row + r, rows)) continue;
    const offset = run.offset + r * bytesPerRow;
    const lent = lendWhole(job, run, run.row + r, rows);
    if (lent) {
      job.file.source.readInto(lent.bytes, offset);
      lent.put();
      rows = lent.rows;
    } else {
      buffer ??= new Uint8Array(Math.min(rowsAtOnce, run.rows) * bytesPerRow);
      const samples = readPiece(job, buffer, offset, rows, rowSamples(layout));
      putPiece(job, samples, { row: run.row + r, rows, column: run.column, columns: run.columns }, rowSamples(layout));
    }
    if (pace.due) await pace.rest();
  }
}

/** Returns memory of the only plane that rows are read for, if they are in the file as the plane keeps them. */
function lendWhole({ file, layout, picks }: PageJob, run: RowRun, row: number, rows: number): LentRows | undefined {
  const [pick] = picks;
  const { sampleType, bits, fillOrder } = layout;
  const isWhole = pick && picks.length === 1 && run.column === 0 && run.columns === pick.target.columns;
  const isPlain = bits === 8 * storedBytes(sampleType) && fillOrder !== 2 && !isPacked(layout);
  if (!isWhole || !isPlain || rowSamples(layout) !== run.columns) return undefined;
  return lendRows(pick.target, { sampleType, littleEndian: file.littleEndian }, row, rows);
}

/** Reads rows of many megabytes in blocks of columns: eight pixels of any width end at a byte boundary. */
async function readWideRows(job: PageJob, run: RowRun, bytesPerRow: number): Promise<void> {
  const { layout, pace } = job;
  const step = layout.planar ? 1 : layout.samplesPerPixel;
  const bitsPerPixel = layout.bits * step;
  const columnsAtOnce = Math.max(8, Math.floor(PIECE / bitsPerPixel) * 8);
  const buffer = new Uint8Array(Math.ceil((columnsAtOnce * bitsPerPixel) / 8));
  for (let r = 0; r < run.rows; r++) {
    if (!isWanted(job, run.row + r, 1)) continue;
    for (let x = 0; x < run.columns; x += columnsAtOnce) {
      const columns = Math.min(columnsAtOnce, run.columns - x);
      const offset = run.offset + r * bytesPerRow + (x * bitsPerPixel) / 8;
      const samples = readPiece(job, buffer, offset, 1, columns * step);
      putPiece(job, samples, { row: run.row + r, rows: 1, column: run.column + x, columns }, columns * step);
      if (pace.due) await pace.rest();
    }
  }
}

function isWanted({ picks }: PageJob, row: number, rows: number): boolean {
  return picks.some(({ target }) => target.wants?.(row, rows) !== false);
}

function readPiece(job: PageJob, buffer: Uint8Array, offset: number, rows: number, perRow: number): SampleArray {
  const { file, layout } = job;
  const bytes = buffer.subarray(0, rows * Math.ceil((perRow * layout.bits) / 8));
  file.source.readInto(bytes, offset);
  if (layout.fillOrder === 2) reverseBits(bytes);
  return toSamples(bytes, layout, file.littleEndian, rows, perRow);
}

function putPiece(job: PageJob, samples: SampleArray, at: Rectangle, rowStride: number): void {
  const columnStride = job.layout.planar ? 1 : job.layout.samplesPerPixel;
  for (const { sample, target } of job.picks) {
    const offset = job.layout.planar ? 0 : sample;
    target.put({ samples, offset, rowStride, columnStride }, at.row, at.column, at.rows, at.columns);
  }
}
