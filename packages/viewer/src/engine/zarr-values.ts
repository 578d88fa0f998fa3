/** The acquisition as OME-Zarr, key by key: what a server has at the addresses in `zarr`. Loaded when it is first asked for. */
import { hasWindows, WITHOUT_RANGE, withSteps } from '@acquisition-store/client/answers/zarr.js';
import { concat } from '@acquisition-store/readers/base/bytes.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { Window } from '@acquisition-store/readers/derive/analysis/window.js';
import { inOnePiece, levelOffset, readChunk } from '@acquisition-store/readers/derive/zarr/chunk.js';
import { type ChannelRange, planeRange } from '@acquisition-store/readers/derive/zarr/display.js';
import { chunkByteLength, chunkShape, type ZarrImage } from '@acquisition-store/readers/derive/zarr/images.js';
import {
  type ChunkAddress,
  type ChunkKey,
  type DocumentKey,
  OME_XML,
  parseKey,
} from '@acquisition-store/readers/derive/zarr/keys.js';
import { documentText, rootGroups, sceneDocuments } from '@acquisition-store/readers/derive/zarr/tree.js';
import type { ZarrVersion } from '@acquisition-store/readers/derive/zarr/versions.js';
import type { AcquisitionInfo } from '@acquisition-store/readers/model/acquisition.js';
import { toOmeXml } from '@acquisition-store/readers/model/metadata/ome-xml.js';
import type { SourceData } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { NativePlane, OpenSession } from './session-planes.ts';

type Ranges = readonly (ChannelRange | undefined)[];

/** Display ranges that are there or being computed, until the signal of who asked first. */
interface Computing {
  ranges: Promise<Ranges>;
  signal: AbortSignal;
}

/** Of the images of a session, by path: each is computed once. */
const known = new WeakMap<OpenSession, Map<string, Computing>>();

/** Returns what a key names; `null` for one that the acquisition does not have. @throws AcqError like a plane */
export async function zarrValueOf(
  session: OpenSession,
  signal: AbortSignal,
  key: string,
  version: ZarrVersion,
): Promise<Uint8Array | null> {
  const info = withSteps(session.source.acquisition.info, session.info);
  const found = parseKey(info, version, key);
  if (!found) return null;
  if (found.kind === 'chunk') return chunkOf(session, found, signal);
  return new TextEncoder().encode(await textOf(session, { info, version, key, document: found }, signal));
}

interface AskedDocument {
  info: AcquisitionInfo;
  version: ZarrVersion;
  key: string;
  document: DocumentKey;
}

async function textOf(session: OpenSession, asked: AskedDocument, signal: AbortSignal): Promise<string> {
  const { info, version, key, document } = asked;
  const { source, header } = session.info;
  const details = { name: source.name, fileSize: header.fileSize };
  if (key === OME_XML) return toOmeXml(info, details);
  const ranges = new Map<string, Ranges>();
  for (const image of document.display) ranges.set(image.path, await rangesOf(session, image, signal));
  const { scene } = document;
  const documents =
    scene === undefined
      ? rootGroups(info, version, { ...details, ranges })
      : sceneDocuments(info, version, scene, { ...details, ranges });
  return documentText(documents.get(key)!);
}

async function rangesOf(session: OpenSession, image: ZarrImage, signal: AbortSignal): Promise<Ranges> {
  if (hasWindows(image)) return [];
  const all = known.get(session) ?? new Map<string, Computing>();
  known.set(session, all);
  for (;;) {
    const computing = all.get(image.path) ?? { ranges: computeRanges(session, image, signal), signal };
    all.set(image.path, computing);
    try {
      return await computing.ranges;
    } catch (error) {
      if (all.get(image.path) === computing) all.delete(image.path);
      // Only who asked first has stopped.
      if (!computing.signal.aborted || signal.aborted) throw error;
    }
  }
}

/** Of the middle plane of each channel without a window in the file. */
async function computeRanges(session: OpenSession, image: ZarrImage, signal: AbortSignal): Promise<Ranges> {
  const place = { t: Math.floor(image.sizes.T / 2), z: Math.floor(image.sizes.Z / 2) };
  const ranges: (ChannelRange | undefined)[] = [];
  for (const [channel, { window }] of image.channels.entries()) {
    const read = () => session.images.native(placeIn(image, { channel, ...place }), signal);
    ranges.push(window ? undefined : await read().then(planeRange, withoutRange));
  }
  return ranges;
}

function withoutRange(error: unknown): undefined {
  if (!(error instanceof AcqError && WITHOUT_RANGE.includes(error.code))) throw error;
}

async function chunkOf(session: OpenSession, { image, place }: ChunkKey, signal: AbortSignal): Promise<Uint8Array> {
  const { images } = session;
  const plane = placeIn(image, place);
  const { level } = place;
  if (level > 0) {
    const { samples } = (await images.reduced(plane, signal)).segments[0]!;
    return concat(readChunk(image, place, inOnePiece(samples), levelOffset(image.levels, level)));
  }
  if (!images.isLarge(plane)) return concat(readChunk(image, place, await images.native(plane, signal)));
  return padded(image, await images.nativeRegion(plane, windowOf(image, place), signal));
}

function placeIn(image: ZarrImage, { channel, t, z }: Pick<ChunkAddress, 'channel' | 't' | 'z'>): NativePlane {
  const { scene, kind, sampleType, levels } = image;
  return { scene, kind, channel, t, z, sampleType, ...levels[0]! };
}

/** Returns the part of a plane that a chunk of the full resolution has. */
function windowOf({ levels }: ZarrImage, { row, column }: ChunkAddress): Window {
  const whole = levels[0]!;
  const chunk = chunkShape(whole);
  const [firstRow, firstColumn] = [row * chunk.rows, column * chunk.columns];
  return {
    ...{ firstRow, endRow: Math.min(whole.rows, firstRow + chunk.rows) },
    ...{ firstColumn, endColumn: Math.min(whole.columns, firstColumn + chunk.columns) },
  };
}

/** Returns a chunk with zeros outside of the image. */
function padded(image: ZarrImage, { rows, segments }: SourceData): Uint8Array {
  const { buffer, byteOffset, byteLength } = segments[0]!.samples;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const chunk = new Uint8Array(chunkByteLength(image, 0));
  const [rowBytes, stride] = [byteLength / rows, chunk.length / chunkShape(image.levels[0]!).rows];
  for (let row = 0; row < rows; row++) chunk.set(bytes.subarray(row * rowBytes, (row + 1) * rowBytes), row * stride);
  return chunk;
}
