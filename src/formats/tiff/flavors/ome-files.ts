import { AcqError, companionMissing } from '../../../errors.js';
import type { Folder } from '../../../io/folder.js';
import { cleanName } from '../../../metadata/names.js';
import type { TiffFile } from '../../../tiff/types.js';
import type { RawFileReference } from './ome-xml.js';

const DESCRIPTION = 270;
/** Files beside the opened one that are searched for a UUID when a set was renamed. */
const SEARCHED_SIBLINGS = 100;

/** One TIFF of an OME-TIFF set. */
export interface SetMember {
  /** Name as the user sees it in the folder. */
  name: string;
  /** Opened when first needed; a set may have thousands of files. */
  open(): TiffFile | undefined;
}

/** The file that was opened, as a member of its set. */
export interface OwnFile {
  name: string;
  uuid: string | undefined;
  file: TiffFile;
}

/** Finds the files that OME-XML refers to, in one folder only. */
export class OmeFileSet {
  readonly own: OwnFile | undefined;
  /** Names of the files of the set that are there, as far as they were looked for. */
  readonly found = new Set<string>();
  private readonly name: string;
  private readonly folder: Folder;
  private readonly openTiff: (name: string) => TiffFile | undefined;
  private byUuid: Map<string, string> | undefined;
  private byName: Map<string, string> | undefined;

  /** @param name of what was opened, for messages */
  constructor(
    name: string,
    own: OwnFile | undefined,
    folder: Folder,
    openTiff: (name: string) => TiffFile | undefined,
  ) {
    this.name = name;
    this.own = own;
    this.folder = folder;
    this.openTiff = openTiff;
    this.found.add(name);
  }

  /** The opened file itself. */
  ownMember(): SetMember | undefined {
    const { own } = this;
    return own && { name: own.name, open: () => own.file };
  }

  /**
   * The file of a reference: the opened one when the UUID is its own (it may have been renamed) or the name is; else a
   * file of that name in the folder; else, for a renamed set, one that holds the UUID. `undefined`: not there.
   * @param only the metadata refer to no other file: without a UUID that says otherwise, it is the opened one
   */
  resolve(reference: RawFileReference, only: boolean): SetMember | undefined {
    const { own } = this;
    const name = reference.name === undefined ? undefined : lastComponent(reference.name);
    if (own && reference.uuid !== undefined && reference.uuid === own.uuid) return this.ownMember();
    if (own && name?.toLowerCase() === own.name.toLowerCase()) return this.ownMember();
    const found = name === undefined ? undefined : this.find(name);
    if (found !== undefined) return this.member(found);
    // A file that was renamed keeps its UUID: another one belongs to another file.
    const other = reference.uuid !== undefined && own?.uuid !== undefined && reference.uuid !== own.uuid;
    if (own && only && !other) return this.ownMember();
    const renamed = reference.uuid === undefined ? undefined : this.uuids().get(reference.uuid);
    return renamed === undefined ? undefined : this.member(renamed);
  }

  /** The file of a reference is not there. */
  missing({ name, uuid }: RawFileReference): AcqError {
    const what = name === undefined ? `the file with the UUID ${uuid}` : `"${cleanName(lastComponent(name))}"`;
    return companionMissing(this.name, `${what}, a file of this set,`, this.folder.path);
  }

  private member(name: string): SetMember {
    this.found.add(name);
    return { name, open: () => this.openTiff(name) };
  }

  private find(name: string): string | undefined {
    this.byName ??= new Map(this.folder.list().map((entry) => [entry.toLowerCase(), entry]));
    return this.byName.get(name.toLowerCase());
  }

  private uuids(): Map<string, string> {
    this.byUuid ??= this.searchSiblings();
    return this.byUuid;
  }

  private searchSiblings(): Map<string, string> {
    const found = new Map<string, string>();
    const siblings = this.folder
      .list()
      .filter((name) => /\.(tiff?|tf2|tf8|btf)$/i.test(name) && name !== this.own?.name);
    for (const name of siblings.slice(0, SEARCHED_SIBLINGS)) {
      const uuid = this.uuidOf(name);
      if (uuid !== undefined) found.set(uuid, name);
    }
    return found;
  }

  private uuidOf(name: string): string | undefined {
    try {
      const text = this.openTiff(name)?.page(0).text(DESCRIPTION) ?? '';
      return /<(?:\w+:)?OME\s[^>]*\bUUID="([^"]*)"/.exec(text.slice(0, 20_000))?.[1];
    } catch (error) {
      // A neighbour that is no sound TIFF is not the one that is looked for.
      if (error instanceof AcqError) return undefined;
      throw error;
    }
  }
}

/** Only the name counts: what a path of another computer leads to is not asked for. */
function lastComponent(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
