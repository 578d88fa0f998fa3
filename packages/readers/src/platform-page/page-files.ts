import type { ByteSource } from '../io/byte-source.js';
import type { Files } from '../io/folder.js';
import { lastPart, parentOf, resolveName } from '../io/paths.js';
import { type PageBlob, PageFileSource } from './page-file-source.js';

/** A file that was dropped on a page, or chosen in it. */
export interface PageFile {
  /** Relative path with `/`: the name alone for a file that was chosen itself. */
  readonly path: string;
  readonly data: PageBlob;
}

/** All files of one choice, by their paths. */
export class PageFiles {
  private readonly blobs = new Map<string, PageBlob>();
  private readonly names = new Map<string, Set<string>>();

  constructor(files: Iterable<PageFile>) {
    for (const { path, data } of files) {
      this.blobs.set(path, data);
      for (let name = path; ; name = parentOf(name)) {
        const parent = parentOf(name);
        const names = this.names.get(parent);
        if (names?.has(lastPart(name))) break;
        if (names) names.add(lastPart(name));
        else this.names.set(parent, new Set([lastPart(name)]));
        if (parent === '') break;
      }
    }
  }

  find(path: string): PageBlob | undefined {
    return this.blobs.get(path);
  }

  /** Lists the names in a folder; `undefined` when there is none. */
  list(path: string): readonly string[] | undefined {
    const names = this.names.get(path);
    return names && [...names];
  }

  /** Yields the sizes of all files below a folder. */
  *sizesBelow(folder: string): Generator<number> {
    const start = folder === '' ? '' : `${folder}/`;
    for (const [path, { size }] of this.blobs) if (path.startsWith(start)) yield size;
  }
}

/** One folder of a choice, as readers see it. */
export class PageFolder implements Files {
  readonly path: string;
  private readonly files: PageFiles;
  private readonly folder: string;
  private readonly label: string;
  private readonly sources = new Map<string, PageFileSource>();

  /**
   * @param folder inside the choice; empty for all of it
   * @param label prefix of names in messages: for a folder that is the acquisition, its own name and a slash
   */
  constructor(files: PageFiles, folder: string, label = '') {
    this.files = files;
    this.folder = folder;
    this.path = `/${folder}`;
    this.label = label;
  }

  open(name: string): ByteSource | undefined {
    const inside = this.inside(name);
    if (inside === undefined) return undefined;
    const known = this.sources.get(inside);
    if (known) return known;
    const blob = this.files.find(this.place(inside));
    if (!blob) return undefined;
    const source = new PageFileSource(this.label + inside, blob);
    this.sources.set(inside, source);
    return source;
  }

  list(inside: string): readonly string[] | undefined {
    const name = inside === '' ? '' : this.inside(inside);
    return name === undefined ? undefined : this.files.list(this.place(name));
  }

  sizeOf(names: Iterable<string> | 'everything', max: number): number | undefined {
    let sum = 0;
    let count = 0;
    for (const size of names === 'everything' ? this.files.sizesBelow(this.folder) : this.sizes(names)) {
      if (++count > max) return undefined;
      sum += size;
    }
    return sum;
  }

  hasOpened(name: string): boolean {
    return this.sources.has(this.inside(name) ?? '');
  }

  peek<T>(name: string, read: (source: ByteSource) => T): T | undefined {
    const inside = this.inside(name);
    const blob = inside === undefined ? undefined : this.files.find(this.place(inside));
    return blob && read(new PageFileSource(this.label + inside, blob));
  }

  /** Files of a page appear only when others are chosen. */
  noteAbsent(): void {}

  close(): void {
    for (const source of this.sources.values()) source.close();
  }

  private *sizes(names: Iterable<string>): Generator<number> {
    for (const name of names) {
      const inside = this.inside(name);
      yield inside === undefined ? 0 : (this.files.find(this.place(inside))?.size ?? 0);
    }
  }

  /** Returns a name without `.`, which folders on disk understand. */
  private inside(name: string): string | undefined {
    return resolveName('', name);
  }

  private place(inside: string): string {
    if (inside === '') return this.folder;
    return this.folder === '' ? inside : `${this.folder}/${inside}`;
  }
}
