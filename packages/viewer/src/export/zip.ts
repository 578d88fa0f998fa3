/** Writes ZIP files whose entries are not compressed again, because pictures are compressed already. (APPNOTE 6.3.) */

import { crc32 } from '@acquisition-store/readers/base/crc32.js';
import { bytesOf } from './bytes.ts';
import { FileParts } from './file-parts.ts';

/** Max entries without the extension Zip64. */
export const MAX_ENTRIES = 0xffff;
/** Names are UTF-8. */
const FLAGS = 0x0800;
const VERSION = 20;

export class ZipWriter {
  readonly #file: FileParts;
  readonly #directory: Uint8Array<ArrayBuffer>[] = [];
  readonly #date: Date;

  constructor(date: Date, limit?: number) {
    this.#date = date;
    this.#file = new FileParts(limit);
  }

  /** @throws RangeError when the file would be too large or have too many entries */
  add(name: string, content: Uint8Array<ArrayBuffer>): void {
    if (this.#directory.length === MAX_ENTRIES) throw new RangeError(`A ZIP file has at most ${MAX_ENTRIES} entries.`);
    const bytes = new TextEncoder().encode(name);
    const offset = this.#file.size;
    const common = this.#common(bytes.length, content);
    this.#file.push(bytesOf(record(0x04034b50, [...VERSION_NEEDED, ...common]), bytes), content);
    // No comment, the first disk, no attributes.
    const rest: Field[] = [...two(0, 0, 0), [0, 4], [offset, 4]];
    this.#directory.push(
      bytesOf(record(0x02014b50, [...VERSION_NEEDED, ...VERSION_NEEDED, ...common, ...rest]), bytes),
    );
  }

  end(): Blob {
    const start = this.#file.size;
    this.#file.push(...this.#directory);
    const count = this.#directory.length;
    const size = this.#file.size - start;
    this.#file.push(record(0x06054b50, [...two(0, 0, count, count), [size, 4], [start, 4], [0, 2]]));
    return this.#file.blob('application/zip');
  }

  /** Returns what the entry and the directory both say. */
  #common(nameLength: number, content: Uint8Array): Field[] {
    const date = this.#date;
    const time = (date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1);
    const day = ((date.getFullYear() - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate();
    const size: Field = [content.length, 4];
    return [...two(FLAGS, 0, time, day), [crc32(content), 4], size, size, ...two(nameLength, 0)];
  }
}

/** A number and its size in bytes. */
type Field = readonly [value: number, bytes: 2 | 4];

const two = (...values: readonly number[]): Field[] => values.map((value) => [value, 2]);
const VERSION_NEEDED = two(VERSION);

function record(signature: number, fields: readonly Field[]): Uint8Array<ArrayBuffer> {
  const all: Field[] = [[signature, 4], ...fields];
  const bytes = new Uint8Array(all.reduce((sum, [, size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, size] of all) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}
