/** Turns metadata trees into raw records with the vendor's units. Every field may be missing from a file. */

import { AcqError, decodeFailed } from '../../base/errors.js';
import type { Notes } from '../../base/notes.js';
import { about } from '../../base/subject.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { FoundInstrument, FoundOptics } from '../../model/metadata/instrument.js';
import { readChunk, readPayload } from './chunk.js';
import type { ChunkIndex } from './index-map.js';
import { parseLv } from './lv.js';
import { parseInstrument, parsePlaneOptics } from './optics.js';
import { EVERYTHING, type ParsedLevels, positive, USED, unwrap, type VariantLevel } from './variant.js';
import { parseVariantXml } from './variant-xml.js';

/** `ImageAttributes`: the shape and encoding of every frame. */
export interface RawAttributes {
  width: number;
  height: number;
  /** Bytes from one row to the next; 0 when the file does not contain it. */
  widthBytes: number;
  /** Interleaved components per pixel, over all channels. */
  components: number;
  bits: number;
  /** Number of frames according to the header. */
  sequenceCount: number;
  compression: number;
  /** 0 signed, 1 unsigned, 2 real. */
  pixelType: number | undefined;
}

/** Values of `ePictureXAxis` and `ePictureYAxis`: what an axis of the picture stands for. */
export const AXIS = { x: 0, y: 1, time: 2, z: 3, point: 4 } as const;

/** `SLxPictureMetadata` of frame 0. */
export interface RawPicture {
  /** µm per pixel; `undefined` when the picture is not calibrated. */
  calibration: number | undefined;
  /** Height of a pixel divided by its width. */
  aspect: number | undefined;
  /** Time of the frame as a Julian day number, in UTC. */
  timeAbsolute: number | undefined;
  xAxis: number | undefined;
  yAxis: number | undefined;
  /** ms per pixel along a time axis. */
  timeAxis: number | undefined;
  /** µm per pixel along a depth axis. */
  zAxis: number | undefined;
  /** `color` is `uiColor`, 0x00BBGGRR; `modality` holds the bits of `uiModalityMask`. */
  planes: RawNd2Plane[];
  instrument?: FoundInstrument;
}

export interface RawNd2Plane {
  name: string;
  components: number;
  color?: number | undefined;
  modality?: number | undefined;
  optics?: FoundOptics;
}

/**
 * Reads the tree of the first of the chunks `names` that the file contains; `undefined` when it has none of them.
 * @param root name of the tree's outermost level
 * @throws AcqError `decode_failed` when the chunk is corrupted
 */
export function readTree(
  source: ByteSource,
  index: ChunkIndex,
  names: readonly string[],
  root: string,
): VariantLevel | undefined {
  const name = names.find((candidate) => index.named.has(candidate));
  const tree = name === undefined ? undefined : readSelected(source, index, name, USED);
  return tree && unwrap(tree, root);
}

/** Reads the tree of a chunk with all of its levels. @throws AcqError `decode_failed` when the chunk is corrupted */
export function readWholeTree(source: ByteSource, index: ChunkIndex, name: string): VariantLevel {
  return readSelected(source, index, name, EVERYTHING);
}

function readSelected(source: ByteSource, index: ChunkIndex, name: string, selection: ParsedLevels): VariantLevel {
  const offset = index.named.get(name) ?? 0;
  const chunk = readChunk(source, offset);
  if (chunk?.name !== name) {
    throw decodeFailed(`the metadata chunk ${name} is not at byte ${grouped(offset)}, where it should be`);
  }
  const bytes = readPayload(source, chunk);
  // The content decides, because some chunks of version 3 are XML too.
  return isXml(bytes) ? parseVariantXml(bytes, selection.skip) : parseLv(bytes, name, selection);
}

/**
 * Runs `read`; when the metadata are corrupted, adds a note and returns `undefined`, because the pixels can be read
 * without them.
 */
export function readOptional<Result>(
  { name }: ByteSource,
  read: () => Result | undefined,
  notes: Notes,
): Result | undefined {
  try {
    return about(name, read);
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    notes.add(
      asCorrupted(
        `${error.message.replace(/\.$/, '')}. As a result, the names or order of channels, positions, times or depths may ` +
          'be missing or wrong.',
      ),
    );
    return undefined;
  }
}

function isXml(bytes: Uint8Array): boolean {
  return bytes[0] === 0x3c || bytes[0] === 0xef || (bytes[0] === 0xff && bytes[1] === 0xfe);
}

export function parseAttributes(tree: VariantLevel): RawAttributes {
  return {
    width: tree.number('uiWidth') ?? 0,
    height: tree.number('uiHeight') ?? 0,
    widthBytes: tree.number('uiWidthBytes') ?? 0,
    components: tree.number('uiComp') ?? 1,
    bits: tree.number('uiBpcInMemory') ?? 0,
    sequenceCount: tree.number('uiSequenceCount') ?? 0,
    compression: tree.number('eCompression') ?? 2,
    pixelType: tree.number('ePixelType'),
  };
}

export function parsePicture(tree: VariantLevel): RawPicture {
  const calibrated = tree.number('bCalibrated') ?? 1;
  return {
    calibration: calibrated === 0 ? undefined : positive(tree.number('dCalibration')),
    aspect: positive(tree.number('dAspect')),
    timeAbsolute: positive(tree.number('dTimeAbsolute')),
    xAxis: tree.number('ePictureXAxis'),
    yAxis: tree.number('ePictureYAxis'),
    timeAxis: positive(tree.number('dTimeAxisCalibration')),
    zAxis: positive(tree.number('dZAxisCalibration')),
    planes: parsePlanes(tree.level('sPicturePlanes')),
    instrument: parseInstrument(tree),
  };
}

/** Parses the planes in the order of the numbers in their names `a0`, `a1`, … */
function parsePlanes(planes: VariantLevel | undefined): RawPicture['planes'] {
  const list = planes?.level('sPlaneNew') ?? planes?.level('sPlane');
  const numbered = (list?.entries ?? []).map(({ name, value }, i) => {
    const digits = /(\d+)$/.exec(name)?.[1];
    return { order: digits === undefined ? i : Number(digits), value };
  });
  numbered.sort((a, b) => a.order - b.order);
  return numbered.flatMap(({ value }) => {
    if (typeof value !== 'object' || value instanceof Uint8Array) return [];
    return [
      {
        name: value.text('sDescription') ?? '',
        components: value.number('uiCompCount') ?? 1,
        color: value.number('uiColor'),
        modality: value.number('uiModalityMask'),
        optics: parsePlaneOptics(value, planes?.level('sSampleSetting')),
      },
    ];
  });
}
