import type { ByteSource } from './byte-source.js';
import type { Siblings } from './folder.js';
import { NameIndex } from './name-index.js';

/** Files beside each other that are not a folder by themselves: entries of an archive, or a folder inside the folder. */
export class EntrySiblings implements Siblings {
  readonly path?: string;
  private readonly names: readonly string[];
  private readonly index: NameIndex;
  private readonly openEntry: (name: string) => ByteSource | undefined;

  /**
   * @param names all names that can be opened
   * @param openEntry opens one of them
   * @param path of the folder, for messages; an archive has none
   */
  constructor(names: readonly string[], openEntry: (name: string) => ByteSource | undefined, path?: string) {
    this.names = names;
    this.index = new NameIndex(names);
    this.openEntry = openEntry;
    if (path !== undefined) this.path = path;
  }

  open(name: string): ByteSource | undefined {
    const entry = this.index.findSame(name);
    return entry === undefined ? undefined : this.openEntry(entry);
  }

  openAnyCase(name: string): ByteSource | undefined {
    const exact = this.index.find(name);
    return exact === undefined ? undefined : this.openEntry(exact);
  }

  list(inside = ''): readonly string[] {
    return inside === '' ? this.names : [];
  }
}
