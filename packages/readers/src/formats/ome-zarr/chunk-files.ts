import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { isDocument } from './magic.js';
import { joinPath, type Store } from './store.js';
import type { ZarrArray } from './types.js';

/** A stored chunk, or shard. */
export interface StoredChunk {
  key: string;
  source: ByteSource;
}

/** Opens the chunks of one array by index. */
export class ChunkFiles {
  private readonly store: Store;
  private readonly array: ZarrArray;
  /** Separators to try; a single one as soon as a chunk was found. */
  private separators: readonly string[];

  constructor(store: Store, array: ZarrArray) {
    this.store = store;
    this.array = array;
    const { separator, other } = array.keys;
    this.separators = other === undefined ? [separator] : [separator, other];
  }

  /** Opens a chunk; `undefined` for one that is not stored. */
  open(index: readonly number[]): StoredChunk | undefined {
    for (const separator of this.separators) {
      const key = joinPath(this.array.path, this.array.keys.prefix + index.join(separator));
      const source = this.store.open(key);
      if (!source) continue;
      this.separators = [separator];
      return { key, source };
    }
    this.store.noteMissing?.(this.key(index));
    return undefined;
  }

  /** Returns the key of a chunk, for messages. */
  key(index: readonly number[]): string {
    return joinPath(this.array.path, this.array.keys.prefix + index.join(this.separators[0]));
  }

  /** Looks for the first chunk, then for any. Returns warnings about their names, or that all are missing. */
  warnings(): string[] {
    const { keys, path, shape } = this.array;
    if (this.open(shape.map(() => 0))) {
      if (this.separators[0] === keys.separator) return [];
      return [
        `The chunks of ${path || 'the array'} are named with "${this.separators[0]}" between the numbers, ` +
          `but the metadata say "${keys.separator}".`,
      ];
    }
    const names = this.store.list(path).filter((name) => !isDocument(name));
    if (names.length > 0) return [];
    return [
      `The array ${path || 'of the store'} contains no chunks: all pixels have the fill value ${this.array.fill}.`,
    ];
  }

  /**
   * Says from where on nothing is stored along the first axis, as in a recording that is being written. Chunks that consist of the
   * fill value are often not stored: only when nothing at all comes later, something is said.
   * @param name of the first axis
   */
  describeEnd(name: string): string[] {
    const { shape, pipeline, fill } = this.array;
    const [size = 0] = shape;
    const step = pipeline.shape[0]!;
    const last = Math.ceil(size / step) - 1;
    if (last < 1 || this.open(shape.map((_, axis) => (axis === 0 ? last : 0)))) return [];
    const stored = this.listFirst();
    const end = stored.reduce((max, index) => Math.max(max, index + 1), 0) * step;
    if (end === 0 || end >= size) return [];
    return [
      `Nothing is stored from ${name} = ${grouped(end)} on (of ${grouped(size)}): these planes have the fill value ${fill}. ` +
        'If the recording is still being written, open it again later.',
    ];
  }

  /** Returns the first numbers in the names of the chunks. */
  private listFirst(): number[] {
    const { path, keys } = this.array;
    const [separator] = this.separators;
    const key = joinPath(path, keys.prefix);
    const isNested = keys.prefix.endsWith('/');
    const names = this.store.list(isNested ? key.slice(0, -1) : path);
    const before = isNested ? '' : keys.prefix;
    return names.flatMap((name) => {
      const [first = ''] = name.slice(before.length).split(separator!);
      return name.startsWith(before) && /^\d+$/.test(first) ? [Number(first)] : [];
    });
  }
}
