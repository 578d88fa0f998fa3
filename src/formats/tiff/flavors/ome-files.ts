import { AcqError, companionMissing } from '../../../errors.js';
import { NameIndex, nameKey } from '../../../io/name-index.js';
import { cleanName } from '../../../metadata/names.js';
import type { TiffFile } from '../../../tiff/types.js';
import { readDescription } from '../parse.js';
import type { TiffSiblings } from '../tiff-siblings.js';
import type { RawFileReference } from './ome-xml.js';

/** Files in the folder that are searched for a UUID if a set was renamed. */
const MAX_SEARCHED_FILES = 100;

/** One TIFF of an OME-TIFF set. */
export interface SetMember {
  /** Name as in the folder. */
  name: string;
  /** Opens the file when it is first needed: a set may have thousands of files. */
  open(): TiffFile | undefined;
}

/** The file that was opened, as a member of its set. */
export interface OpenedMember {
  name: string;
  uuid: string | undefined;
  file: TiffFile;
}

/** Finds the files that OME-XML refers to, in one folder only. */
export class OmeFileSet {
  readonly opened: OpenedMember | undefined;
  /** Names of the files of the set that were looked up and exist. */
  readonly names = new Set<string>();
  private readonly name: string;
  private readonly files: TiffSiblings;
  private byUuid: Map<string, string> | undefined;
  private byName: NameIndex | undefined;

  /**
   * @param name name of the opened file, for messages
   * @param opened the opened file as a member; absent for a companion file
   */
  constructor(name: string, files: TiffSiblings, opened?: OpenedMember) {
    this.name = name;
    this.files = files;
    this.opened = opened;
    this.names.add(name);
  }

  /** Returns the opened file itself. */
  openedMember(): SetMember | undefined {
    const { opened } = this;
    return opened && { name: opened.name, open: () => opened.file };
  }

  /**
   * Finds the file of a reference: the opened file if it has the UUID (it may have been renamed) or the name, then a file
   * of that name in the folder, then, in a renamed set, a file that contains the UUID. Returns `undefined` if it is missing.
   * @param isOnly the metadata refer to no other file: unless its UUID differs, it is the opened one
   */
  resolve(reference: RawFileReference, isOnly: boolean): SetMember | undefined {
    const { opened } = this;
    const name = reference.name === undefined ? undefined : lastComponent(reference.name);
    if (opened && reference.uuid !== undefined && reference.uuid === opened.uuid) return this.openedMember();
    if (opened && name !== undefined && nameKey(name) === nameKey(opened.name)) return this.openedMember();
    const present = name === undefined ? undefined : this.spelled(name);
    if (present !== undefined) return this.member(present);
    // A renamed file keeps its UUID, so another UUID belongs to another file.
    const hasOtherUuid = reference.uuid !== undefined && opened?.uuid !== undefined && reference.uuid !== opened.uuid;
    if (opened && isOnly && !hasOtherUuid) return this.openedMember();
    const renamed = reference.uuid === undefined ? undefined : this.uuids().get(reference.uuid);
    return renamed === undefined ? undefined : this.member(renamed);
  }

  /** Makes the error for a reference to a missing file. */
  missingError({ name, uuid }: RawFileReference): AcqError {
    const what = name === undefined ? `the file with the UUID ${uuid}` : `"${cleanName(lastComponent(name))}"`;
    return companionMissing(this.name, `${what}, a file of this set,`, this.files.siblings.path ?? 'its folder');
  }

  private member(name: string): SetMember {
    this.names.add(name);
    return { name, open: () => this.files.open(name) };
  }

  private spelled(name: string): string | undefined {
    this.byName ??= new NameIndex(this.files.siblings.list());
    return this.byName.find(name);
  }

  private uuids(): Map<string, string> {
    this.byUuid ??= this.readUuids();
    return this.byUuid;
  }

  private readUuids(): Map<string, string> {
    const byUuid = new Map<string, string>();
    const candidates = this.files.siblings
      .list()
      .filter((name) => /\.(tiff?|tf2|tf8|btf)$/i.test(name) && name !== this.opened?.name);
    for (const name of candidates.slice(0, MAX_SEARCHED_FILES)) {
      const uuid = this.readUuid(name);
      if (uuid !== undefined) byUuid.set(uuid, name);
    }
    return byUuid;
  }

  private readUuid(name: string): string | undefined {
    try {
      const page = this.files.open(name)?.page(0);
      const text = page ? readDescription(page) : '';
      return /<(?:\w+:)?OME\s[^>]*\bUUID="([^"]*)"/.exec(text.slice(0, 20_000))?.[1];
    } catch (error) {
      // A file that cannot be read as TIFF is not part of the set.
      if (error instanceof AcqError) return undefined;
      throw error;
    }
  }
}

/** Only the name counts: a path from another computer must not lead out of the folder. */
function lastComponent(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
