/** Reads the index of a set, the summary in the header of its files, and the metadata of single images. */

import { decodeFailed, ignoreCorrupted, unsupported } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { LIMITS } from '../../base/limits.js';
import { grouped, plural, subjectFirst } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { parseObject } from '../../model/metadata/micro-manager.js';
import { isVersion1 } from './magic.js';

/** An index along an axis: a number, or a label such as `DAPI` or `Pos2`. */
export type AxisValue = number | string;

/** One image of the set. */
export interface ImageEntry {
  axes: Readonly<Record<string, AxisValue>>;
  /** Name of the file, without a folder. */
  file: string;
  pixelOffset: number;
  width: number;
  height: number;
  pixelType: number;
  /** 0: none. Others are not defined. */
  pixelCompression: number;
  metadataOffset: number;
  metadataLength: number;
}

export interface NdtiffIndex {
  entries: ImageEntry[];
  /** Why images may be missing from the index. */
  problem: string | undefined;
}

const MAX_AXES = 32;
const MAX_AXIS_JSON = 65_536;
const MAX_NAME = 4_096;
/** Bytes of the metadata of one image; real ones have 3,000 to 6,000. */
const MAX_IMAGE_METADATA = 2 ** 20;
const FIELDS = 8;
const SUMMARY_MARK = 2_355_492;

/**
 * Reads the index: for each image the JSON of its axes, the name of its file, and eight numbers. A length of zero is
 * space that a recording reserved and did not use.
 */
export function readIndex(source: ByteSource): NdtiffIndex {
  const size = Math.min(source.size, LIMITS.metadataBytes);
  const reader = new IndexReader(source.read(0, size));
  const entries: ImageEntry[] = [];
  while (!reader.isAtEnd && entries.length < LIMITS.planes) {
    const entry = reader.next();
    if (!entry) return { entries, problem: endsEarly(source.name, entries.length) };
    entries.push(entry);
  }
  return { entries, problem: size < source.size ? endsEarly(source.name, entries.length) : undefined };
}

function endsEarly(name: string, images: number): string {
  const why = 'because the recording was interrupted or the file is truncated';
  return subjectFirst(name, `the index ends early, ${why}. It lists ${plural(images, 'image')}.`);
}

/** Reads entries from the bytes of an index. */
class IndexReader {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at = 0;
  /** Names are few, and repeated in each entry. */
  private readonly names = new Map<string, string>();

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Returns `undefined` where there is no entry. */
  next(): ImageEntry | undefined {
    const json = this.text(MAX_AXIS_JSON);
    const axes = json === undefined ? undefined : parseAxes(json);
    const name = axes && this.text(MAX_NAME);
    if (!axes || name === undefined || this.at + 4 * FIELDS > this.bytes.length) return undefined;
    const fields = Array.from({ length: FIELDS }, (_, i) => this.view.getUint32(this.at + 4 * i, true));
    const [pixelOffset, width, height, pixelType, pixelCompression, metadataOffset, metadataLength] = fields;
    this.at += 4 * FIELDS;
    const file = this.names.get(name) ?? name;
    this.names.set(file, file);
    return {
      ...{ axes, file, pixelOffset: pixelOffset!, width: width!, height: height!, pixelType: pixelType! },
      ...{ pixelCompression: pixelCompression!, metadataOffset: metadataOffset!, metadataLength: metadataLength! },
    };
  }

  private text(max: number): string | undefined {
    if (this.at + 4 > this.bytes.length) return undefined;
    const length = this.view.getUint32(this.at, true);
    const start = this.at + 4;
    if (length === 0 || length > max || start + length > this.bytes.length) return undefined;
    this.at = start + length;
    return new TextDecoder().decode(this.bytes.subarray(start, this.at));
  }
}

function parseAxes(json: string): Record<string, AxisValue> | undefined {
  return json.trimStart().startsWith('{') && json.trimEnd().endsWith('}') ? toAxes(parseJson(json)) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the axes of an image, or `undefined` unless each value is a number or a text. */
export function toAxes(value: unknown): Record<string, AxisValue> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const pairs = Object.entries(value);
  const isUsable = ([, index]: [string, unknown]) =>
    typeof index === 'string' ? index.length <= MAX_NAME : Number.isSafeInteger(index);
  if (pairs.length > MAX_AXES || !pairs.every(isUsable)) return undefined;
  return Object.fromEntries(pairs) as Record<string, AxisValue>;
}

/**
 * Reads the summary behind the header of a TIFF file of the set.
 * @throws AcqError `unsupported_format` for version 1
 */
export function readSummary(source: ByteSource): JsonObject {
  const head = source.read(0, Math.min(32, source.size));
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (head.length < 28) return {};
  if (isVersion1(view)) {
    throw unsupported(
      'is NDTiff version 1, which keeps its index inside the TIFF file and is not supported. ' +
        'Open it in Micro-Manager and save it again.',
    ).about(source.name);
  }
  const at = view.getUint32(16, true) === SUMMARY_MARK ? 20 : 24;
  if (view.getUint32(at - 4, true) !== SUMMARY_MARK) return {};
  const length = view.getUint32(at, true);
  if (length > LIMITS.sidecarBytes || at + 4 + length > source.size) return {};
  return parseObject(new TextDecoder().decode(source.read(at + 4, length)));
}

/** Reads the metadata of one image; `{}` if there are none that can be read. */
export function readImageMetadata(
  source: ByteSource,
  { metadataOffset, metadataLength }: Pick<ImageEntry, 'metadataOffset' | 'metadataLength'>,
): JsonObject {
  if (metadataLength > MAX_IMAGE_METADATA || metadataOffset + metadataLength > source.size) return {};
  return parseObject(new TextDecoder().decode(source.read(metadataOffset, metadataLength)));
}

/** Bytes and samples of a pixel by pixel type. Types 3 to 6 have 10, 12, 14 and 11 significant bits. */
const PIXEL_TYPES: Readonly<Record<number, { sampleType: 'uint8' | 'uint16'; samples: 1 | 3 }>> = {
  0: { sampleType: 'uint8', samples: 1 },
  1: { sampleType: 'uint16', samples: 1 },
  2: { sampleType: 'uint8', samples: 3 },
  3: { sampleType: 'uint16', samples: 1 },
  4: { sampleType: 'uint16', samples: 1 },
  5: { sampleType: 'uint16', samples: 1 },
  6: { sampleType: 'uint16', samples: 1 },
};

export interface PixelForm {
  sampleType: 'uint8' | 'uint16';
  /** Samples per pixel: 3 for R, G, B. */
  samples: 1 | 3;
  /** Bytes of one image. */
  bytes: number;
}

/**
 * Returns how the pixels of an image are stored.
 * @throws AcqError `unsupported_format`, `decode_failed` for sizes that cannot be
 */
export function pixelForm({ pixelType, pixelCompression, width, height, file }: ImageEntry): PixelForm {
  const type = PIXEL_TYPES[pixelType];
  if (!type || pixelCompression !== 0) {
    const what = type ? `compression ${pixelCompression}` : `pixel type ${pixelType}`;
    throw unsupported(`has images of ${what}, which is not supported`).about(file);
  }
  if (width < 1 || height < 1)
    throw decodeFailed(`has an image of ${grouped(height)} lines of ${grouped(width)} pixels`).about(file);
  const bytes = width * height * type.samples * (type.sampleType === 'uint16' ? 2 : 1);
  return { ...type, bytes };
}

/** Like `pixelForm`; `undefined` instead of an error. */
export function tryPixelForm(entry: ImageEntry): PixelForm | undefined {
  return ignoreCorrupted(() => pixelForm(entry));
}
