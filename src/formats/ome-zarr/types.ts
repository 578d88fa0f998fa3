import type { ByteCodecName } from '../../codecs/index.js';
import type { SampleType } from '../../samples/types.js';
import type { JsonObject } from './json.js';
import type { OmeXmlImage } from './ome-xml.js';

/** A group with `multiscales`. */
export interface ImageGroup {
  path: string;
  version: 2 | 3;
  ome: JsonObject;
  /** What the hierarchy calls it; empty for the only image of a store. */
  name: string;
  xml: OmeXmlImage | undefined;
  /** Manifest of acqstore, from the root of a collection. */
  manifest?: string;
}

export interface Hierarchy {
  /** Of the root: what is below it is of the same, as a rule. */
  version: 2 | 3;
  /** Never empty. */
  images: ImageGroup[];
  warnings: string[];
}

/** One codec from bytes to bytes. */
export type ByteStep =
  | { kind: 'codec'; codec: ByteCodecName }
  /** The checksum of the bytes before it stands behind them. */
  | { kind: 'crc32c' }
  /** Bytes of equal rank stand together. */
  | { kind: 'shuffle'; size: number };

/** How the bytes of a chunk become samples. Lists of steps are in the order of encoding. */
export interface Pipeline {
  /** Chunk size along every axis of the array. */
  shape: readonly number[];
  /** The stored axis `i` is this axis of the array; the last one is the fastest. */
  order: readonly number[];
  /** Samples are differences from the one before. */
  delta: boolean;
  littleEndian: boolean;
  steps: readonly ByteStep[];
  /** The chunk consists of chunks. */
  shard: Sharding | undefined;
}

export interface Sharding {
  inner: Pipeline;
  /** Inner chunks along every axis of the array. */
  counts: readonly number[];
  /** Of the index: two numbers for each inner chunk. */
  index: { entries: number; checked: boolean; littleEndian: boolean; atStart: boolean };
}

/** An array whose description was found to be sound. */
export interface ZarrArray {
  path: string;
  shape: readonly number[];
  sampleType: SampleType;
  sampleBytes: number;
  /** What absent chunks consist of. */
  fill: number | bigint;
  pipeline: Pipeline;
  keys: KeyEncoding;
  warnings: string[];
}

/** How chunk indices become the end of a key. */
export interface KeyEncoding {
  prefix: string;
  separator: string;
  /** The separator that writers are known to confuse with it. */
  other: string | undefined;
}
