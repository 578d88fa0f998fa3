import { Readable } from 'node:stream';
import { WindowQuery } from '@acquisition-store/client/contract/analysis.js';
import type { SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import { copyGrid, type Grid } from '@acquisition-store/readers/model/samples/rectangle.js';
import { bytesPerElement, type SampleType } from '@acquisition-store/readers/model/samples/types.js';
import { oneEachTurn } from '../../../json-text.js';
import { readNumbers, readWindow } from '../../analysis-input.js';
import { startArray } from '../../array-body.js';
import type { AppDependencies } from '../../dependencies.js';
import { arrayOperation } from '../../operation.js';
import { holdUntilSent, pinPlane } from '../../request-life.js';
import type { App } from '../../types.js';
import { bodyBytes, planeBody, toPlaneAddress } from '../data.js';
import { CHANNEL, PARTS } from './parts.js';

/** Samples of a window that are copied at a time. */
const PIECE_SAMPLES = 65_536;
/** Pieces that a client that does not read leaves in memory: in the stream, and on their way to the system. */
const PIECES_HELD = 3;

export function windowRoute(app: App, deps: AppDependencies): void {
  const options = arrayOperation({
    ...PARTS,
    id: 'getWindow',
    summary: 'A part of a plane',
    description:
      'The samples themselves, as `[⌈rows/r⌉, ⌈columns/c⌉]`. Nothing is interpolated. With `type=native` they are in the ' +
      'type that `X-Array-Dtype` names.',
    query: WindowQuery,
  });
  app.get(`${CHANNEL}/window`, options, async ({ params, query }, reply) => {
    const address = toPlaneAddress('channel', params, query);
    const data = await pinPlane(deps, address, query.type ?? 'served', reply);
    const sampleType = query.type === 'native' ? data.sampleType : 'float32';
    const window = readWindow(query, data);
    const [rowStep, columnStep] = readNumbers('every', query.every ?? '1,1') as [number, number];
    const { firstRow, endRow, firstColumn, endColumn } = window;
    const rows = Math.ceil((endRow - firstRow) / rowStep);
    const columns = Math.ceil((endColumn - firstColumn) / columnStep);
    const head = startArray(reply, { shape: [rows, columns], as: query.as ?? 'raw', type: sampleType });
    const grid = { firstRow, rows, rowStep, firstColumn, columns, columnStep };
    if (columns === data.columns && rowStep === 1) {
      await holdUntilSent(deps, reply, bodyBytes(data, sampleType));
      const rowBytes = columns * bytesPerElement(sampleType);
      return reply.send(planeBody(data, sampleType, firstRow * rowBytes, endRow * rowBytes, head));
    }
    const held = Math.min(rows * columns, PIECES_HELD * PIECE_SAMPLES) * bytesPerElement(sampleType);
    await holdUntilSent(deps, reply, held);
    const pieces = oneEachTurn([], gridPieces({ data, sampleType }, grid, head));
    return reply.send(Readable.from(pieces, { objectMode: false }));
  });
}

/** Yields the bytes of samples piece by piece, as fast as the client reads them. */
function* gridPieces(
  { data, sampleType }: { data: SourceData; sampleType: SampleType },
  grid: Grid,
  head: Uint8Array,
): Generator<Uint8Array> {
  if (head.length > 0) yield head;
  const columnsEach = Math.min(grid.columns, PIECE_SAMPLES);
  const rowsEach = Math.floor(PIECE_SAMPLES / columnsEach);
  for (let row = 0; row < grid.rows; row += rowsEach) {
    for (let column = 0; column < grid.columns; column += columnsEach) {
      const part = {
        ...grid,
        firstRow: grid.firstRow + row * grid.rowStep,
        rows: Math.min(rowsEach, grid.rows - row),
        firstColumn: grid.firstColumn + column * grid.columnStep,
        columns: Math.min(columnsEach, grid.columns - column),
      };
      yield Buffer.from(copyGrid(data, part, sampleType).buffer);
    }
  }
}
