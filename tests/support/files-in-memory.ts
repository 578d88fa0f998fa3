import { type ByteSource, MemorySource } from '../../packages/readers/src/io/byte-source.js';
import type { Files } from '../../packages/readers/src/io/folder.js';

/** A folder without a disk, as a page has it: names and what is in the files. */
export class FilesInMemory implements Files {
  readonly path = '/memory';
  /** Names that were noted as missing. */
  readonly absent: string[] = [];
  private readonly content: ReadonlyMap<string, Uint8Array>;
  private readonly opened = new Map<string, ByteSource>();

  constructor(content: ReadonlyMap<string, Uint8Array>) {
    this.content = content;
  }

  open(name: string): ByteSource | undefined {
    const bytes = this.content.get(name);
    if (bytes && !this.opened.has(name)) this.opened.set(name, new MemorySource(name, bytes));
    return this.opened.get(name);
  }

  list(inside: string): readonly string[] | undefined {
    const start = inside === '' ? '' : `${inside}/`;
    const names = [...this.content.keys()].filter((name) => name.startsWith(start));
    if (names.length === 0) return undefined;
    return [...new Set(names.map((name) => name.slice(start.length).split('/')[0]!))];
  }

  sizeOf(names: Iterable<string> | 'everything'): number {
    let bytes = 0;
    for (const name of names === 'everything' ? this.content.keys() : names) {
      bytes += this.content.get(name)?.length ?? 0;
    }
    return bytes;
  }

  hasOpened(name: string): boolean {
    return this.opened.has(name);
  }

  peek<T>(name: string, read: (source: ByteSource) => T): T | undefined {
    const bytes = this.content.get(name);
    return bytes && read(new MemorySource(name, bytes));
  }

  noteAbsent(name: string): void {
    this.absent.push(name);
  }

  close(): void {
    this.opened.clear();
  }
}
