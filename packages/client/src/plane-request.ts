/** The request for a plane of a channel, or for some of its rows. */
import type { Channel, Plane } from './contract/open.js';
import { AcqClientError } from './errors.js';
import { type BodyOptions, readSamples } from './plane-body.js';
import type { Call, Transport } from './transport.js';

export interface PlaneRequest {
  channel: Channel;
  /** Byte range, both ends included. */
  range?: readonly [first: number, last: number];
}

export async function readPlane(
  transport: Transport,
  { channel, range }: PlaneRequest,
  { signal, onProgress }: Pick<BodyOptions, 'signal' | 'onProgress'>,
) {
  const call: Call = { signal, ...(range ? { range } : {}) };
  const response = await transport.send(channel.dataUrl, call);
  const body: BodyOptions = { name: channel.name, total: channel.byteLength, onProgress, signal };
  if (range) {
    const [first, last] = range;
    const length = last - first + 1;
    // A proxy may drop the Range header; the response is then the whole plane.
    if (response.status === 206) body.total = length;
    else body.window = { start: first, length };
  }
  try {
    return await readSamples(response, body);
  } catch (error) {
    throw await transport.failure(error, call);
  }
}

export function findChannel(
  channels: readonly Channel[],
  index: number,
  code: 'channel_not_found' | 'reference_channel_not_found',
): PlaneRequest {
  const channel = channels.find((candidate) => candidate.index === index);
  if (channel) return { channel };
  const available = channels.map((candidate) => candidate.index).join(', ') || 'none';
  throw new AcqClientError(code, `Channel ${index} is not open. Open channels: ${available}.`);
}

export function rowRange({ name }: Channel, { shape }: Plane, firstRow: number, rowCount: number) {
  const [rows = 0, columns = 0] = shape;
  const integers = Number.isInteger(firstRow) && Number.isInteger(rowCount);
  if (!integers || firstRow < 0 || rowCount < 1 || firstRow + rowCount > rows) {
    const message = `${name}: rows ${firstRow} to ${firstRow + rowCount - 1} are out of range; the plane has ${rows} rows.`;
    throw new AcqClientError('range_not_satisfiable', message);
  }
  const rowBytes = columns * 4;
  return [firstRow * rowBytes, (firstRow + rowCount) * rowBytes - 1] as const;
}
