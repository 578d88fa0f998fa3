/** Reads what the subblocks say of their planes: time, exposure, and the position of the stage. */

import { ignoreCorrupted } from '../../base/errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';
import type { ReadColumns, SceneInfo } from '../../model/acquisition.js';
import type { CziScene } from './arrange.js';
import type { SubblockTable } from './blocks.js';
import { EPOCH, isZoned, secondsBetween } from './clock.js';
import { servedChannels } from './metadata.js';
import type { CziParts } from './parts.js';
import { SEGMENT_HEADER, viewOf } from './segments.js';
import { parseSubblock, SUBBLOCK_HEAD } from './subblock.js';

/** Bytes of a subblock that are read at once: its head, and the metadata of most. */
const FIRST_BYTES = 4096;
/** Longer metadata are not read to their end; the tags are in front. */
const MAX_METADATA = 65_536;

const TAGS = { x: 'StageXPosition', y: 'StageYPosition', z: 'FocusPosition' } as const;

/** Of a plane of several tiles, the first counts. Subblocks that cannot be read have no values. */
export function readPlaneColumns(
  scene: CziScene,
  { table, parts, info }: { table: SubblockTable; parts: CziParts; info: SceneInfo },
): ReadColumns {
  const channels = servedChannels(scene);
  const found = info.instrument?.start ?? '';
  const start = isZoned(found) ? found : EPOCH;
  const { T, Z } = info.sizes;
  const column = () => new Float64Array(T * Z * channels.length).fill(Number.NaN);
  const columns = { time: column(), exposure: column(), x: column(), y: column(), z: column() };
  const places = new Map<number, number[]>();
  for (const [i, { channel }] of channels.entries()) places.set(channel.c, [...(places.get(channel.c) ?? []), i]);
  const isRead = new Uint8Array(columns.time.length);
  const { origin, rowAxis } = scene;
  for (const block of scene.blocks) {
    const t = rowAxis === 'T' ? 0 : table.start(block, 'T') - origin.T;
    const z = rowAxis === 'Z' ? 0 : table.start(block, 'Z') - origin.Z;
    const first = (t * Z + z) * channels.length;
    const rows = (places.get(table.start(block, 'C')) ?? []).map((place) => first + place);
    if (rows.length === 0 || isRead[rows[0]!]) continue;
    isRead[rows[0]!] = 1;
    const values = Object.entries(readTags(parts, table, { block, start }) ?? {});
    for (const row of rows) for (const [name, value] of values) columns[name as keyof typeof columns][row] = value;
  }
  return { ...columns, ...(start !== EPOCH && { isFromStart: true }) };
}

function readTags(
  parts: CziParts,
  table: SubblockTable,
  { block, start }: { block: number; start: string },
): ReturnType<typeof parseTags> {
  return ignoreCorrupted(() => parseTags(readMetadata(parts.open(table.part(block)), table.position(block)), start));
}

/** Reads the XML of a subblock, which has no parser of its own: it is short, and read for each plane. */
function readMetadata(source: ByteSource, position: number): string {
  const head = source.read(position, Math.min(FIRST_BYTES, source.size - position));
  if (head.length < SUBBLOCK_HEAD) return '';
  const { dataStart } = parseSubblock(head, position);
  const length = viewOf(head).getInt32(SEGMENT_HEADER, true);
  const start = dataStart - length;
  const end = start + Math.min(length, MAX_METADATA);
  const isInside = end <= head.length;
  return decodeText(isInside ? head.subarray(start, end) : source.read(position + start, end - start));
}

function parseTags(text: string, start: string): Record<'time' | 'exposure' | 'x' | 'y' | 'z', number> | undefined {
  if (!text.includes('<Tags>')) return undefined;
  const value = (tag: string) => new RegExp(`<${tag}>\\s*([^<]{1,40}?)\\s*</${tag}>`).exec(text)?.[1] ?? '';
  const micrometers = (tag: string) => (value(tag) === '' ? Number.NaN : Number(value(tag)));
  // The state of the camera is a document inside the text. Nanoseconds.
  const exposure = /&lt;ExposureTime&gt;([\d.eE+-]{1,30})&lt;/.exec(text)?.[1];
  return {
    time: secondsBetween(start, value('AcquisitionTime')),
    exposure: exposure === undefined ? Number.NaN : Number(exposure) / 1e9,
    x: micrometers(TAGS.x),
    y: micrometers(TAGS.y),
    z: micrometers(TAGS.z),
  };
}
