import type { JsonObject } from '../../base/json.js';
import type { Notes } from '../../base/notes.js';
import type { ByteCodecName } from '../../codecs/index.js';
import type { SampleType } from '../../model/samples/types.js';
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
  notes: Notes;
}

/** One codec from bytes to bytes. */
export type ByteStep =
  | { kind: 'codec'; codec: ByteCodecName }
  /** A checksum follows the bytes. */
  | { kind: 'crc32c' }
  /** Bytes of the same position of all samples are stored together. */
  | { kind: 'shuffle'; size: number };

/** How to decode a chunk. Steps are in the order of encoding. */
export interface Pipeline {
  /** Chunk size along every axis of the array. */
  shape: readonly number[];
  /** Axis of the array for each stored axis; the last one varies fastest. */
  order: readonly number[];
  /** Samples are stored as differences from the previous one. */
  delta: boolean;
  littleEndian: boolean;
  steps: readonly ByteStep[];
  /** Set when the chunk consists of inner chunks. */
  shard: Sharding | undefined;
}

export interface Sharding {
  inner: Pipeline;
  /** Inner chunks along every axis of the array. */
  counts: readonly number[];
  /** The index has two numbers for each inner chunk. */
  index: { entries: number; checked: boolean; littleEndian: boolean; atStart: boolean };
}

/** A checked array description. */
export interface ZarrArray {
  path: string;
  shape: readonly number[];
  sampleType: SampleType;
  sampleBytes: number;
  /** Value of samples that are not stored. */
  fill: number | bigint;
  pipeline: Pipeline;
  keys: KeyEncoding;
  notes: Notes;
}

/** How chunk indices become keys. */
export interface KeyEncoding {
  prefix: string;
  separator: string;
  /** The separator that some writers use instead. */
  other: string | undefined;
}
