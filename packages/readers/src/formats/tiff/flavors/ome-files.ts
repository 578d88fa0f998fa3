import { AcqError, companionMissing, decodeFailed } from '../../../base/errors.js';
import { Notes } from '../../../base/notes.js';
import { subjectFirst } from '../../../base/wording.js';
import { NameIndex, nameKey } from '../../../io/name-index.js';
import { decodeText } from '../../../io/text.js';
import { cleanName } from '../../../model/metadata/names.js';
import type { RawFileReference, RawPixels } from '../../../model/metadata/ome-document.js';
import { readFirstPage } from '../../../tiff/parse.js';
import { TAG } from '../../../tiff/tags.js';
import type { TiffFile } from '../../../tiff/types.js';
import type { TiffSiblings } from '../tiff-siblings.js';

/** Files in the folder that are searched for a UUID if a set was renamed. */
const MAX_SEARCHED_FILES = 100;
/** Files whose UUID is compared with that of the set when it is opened; that of others when their first plane is read. */
const MAX_COMPARED_FILES = 16;
/** Bytes of OME-XML that contain the start tag of the root, behind a comment. */
const ROOT_BYTES = 8_192;

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
  /** What contradicts itself about the files of the set. */
  readonly notes = new Notes();
  private readonly name: string;
  private readonly files: TiffSiblings;
  private byUuid: Map<string, string> | undefined;
  private byName: NameIndex | undefined;
  /** UUIDs that the metadata give to several names: they tell nothing. */
  private sharedUuids: ReadonlySet<string> = new Set();
  private isOneFile = false;
  private readonly compared = new Map<string, string | undefined>();
  private hasForeign = false;

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

  /** Looks at all references of the metadata, before any of them is resolved. */
  expect(images: readonly Pick<RawPixels, 'files' | 'tiffData'>[]): void {
    const references = images.flatMap(({ files }) => files);
    const names = new Map<string, Set<string>>();
    for (const { name, uuid } of references) {
      if (uuid === undefined) continue;
      const known = names.get(uuidKey(uuid)) ?? new Set();
      names.set(uuidKey(uuid), known.add(nameKey(lastComponent(name ?? ''))));
    }
    this.sharedUuids = new Set([...names].filter(([, { size }]) => size > 1).map(([uuid]) => uuid));
    if (this.sharedUuids.size > 0)
      this.notes.add('The OME-XML gives one UUID to several files of the set. Their names decide which file is which.');
    // Planes without a file are in the opened one, so a file that is named beside them is another.
    const hasOwn = images.some(({ tiffData }) => tiffData.some(({ file }) => file < 0));
    this.isOneFile = !hasOwn && new Set(references.map(({ name, uuid }) => `${name}\0${uuid}`)).size === 1;
  }

  /** Returns the opened file itself. */
  openedMember(): SetMember | undefined {
    const { opened } = this;
    return opened && { name: opened.name, open: () => opened.file };
  }

  /**
   * Finds the file of a reference: the opened file if it has the UUID (it may have been renamed), then a file of that name
   * in the folder, then, in a renamed set, a file that contains the UUID. Returns `undefined` if it is missing. A file with
   * another UUID than the metadata say is noted, unless the metadata refer to no other file.
   */
  resolve({ name: path, uuid }: RawFileReference): SetMember | undefined {
    const { opened, isOneFile } = this;
    const name = path === undefined ? undefined : lastComponent(path);
    const telling = uuid === undefined || this.sharedUuids.has(uuidKey(uuid)) ? undefined : uuidKey(uuid);
    const ownUuid = opened?.uuid === undefined ? undefined : uuidKey(opened.uuid);
    if (opened && telling !== undefined && telling === ownUuid) return this.openedMember();
    const isOpenedName = opened && name !== undefined && nameKey(name) === nameKey(opened.name);
    if (isOpenedName && isOneFile) return this.openedMember();
    const present = isOpenedName ? opened.name : name === undefined ? undefined : this.spelled(name);
    if (present !== undefined) return this.identified(present, telling);
    // A renamed file keeps its UUID, so another UUID belongs to another file.
    const hasOtherUuid = telling !== undefined && ownUuid !== undefined;
    if (opened && isOneFile && !hasOtherUuid) return this.openedMember();
    const renamed = telling === undefined ? undefined : this.uuids().get(telling);
    return renamed === undefined ? undefined : this.member(renamed);
  }

  /** Returns the file of a name, unless another file has the UUID: names are easily swapped. */
  private identified(name: string, expected: string | undefined): SetMember {
    if (expected === undefined) return this.member(name);
    const isKnown = this.compared.has(name) || name === this.opened?.name || this.compared.size < MAX_COMPARED_FILES;
    if (!isKnown) return this.member(name, expected);
    const actual = this.uuidOf(name);
    if (actual === undefined || actual === expected) return this.member(name);
    this.hasForeign = true;
    const swapped = this.uuids().get(expected);
    if (swapped !== undefined) {
      const problem = `has another UUID than the set gives to this name; ${swapped} has it`;
      this.notes.add(subjectFirst(name, `${problem}. The UUIDs decide which file is which.`));
      return this.member(swapped);
    }
    const problem = `has the UUID ${cleanName(actual)}, but the set says ${cleanName(expected)}`;
    this.notes.add(subjectFirst(name, `${problem}. The file may belong to another recording. Showing its planes.`));
    return this.member(name);
  }

  /** Makes the error for a reference to a missing file. */
  missingError({ name, uuid }: RawFileReference): AcqError {
    const what = name === undefined ? `the file with the UUID ${uuid}` : `"${cleanName(lastComponent(name))}"`;
    return companionMissing(`${what}, a file of this set,`, this.files.siblings.path ?? 'its folder').about(this.name);
  }

  /** @param expected UUID to compare when the file is opened; it was compared before when absent */
  private member(name: string, expected?: string): SetMember {
    if (name === this.opened?.name) return { name, open: () => this.opened?.file };
    this.names.add(name);
    return {
      name,
      open: () => {
        if (expected !== undefined) this.checkUuid(name, expected);
        return this.files.open(name);
      },
    };
  }

  /** @throws AcqError `decode_failed` for the first file of another recording, which the open did not find */
  private checkUuid(name: string, expected: string): void {
    const actual = this.uuidOf(name);
    if (actual === undefined || actual === expected || this.hasForeign) return;
    throw decodeFailed(
      `has the UUID ${cleanName(actual)}, but the set says ${cleanName(expected)}. ` +
        'The file belongs to another recording; open it by itself.',
    ).about(name);
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
      const uuid = this.uuidOf(name);
      if (uuid !== undefined) byUuid.set(uuid, name);
    }
    return byUuid;
  }

  private uuidOf(name: string): string | undefined {
    const { opened, compared } = this;
    if (name === opened?.name) return opened.uuid === undefined ? undefined : uuidKey(opened.uuid);
    if (!compared.has(name)) compared.set(name, this.readUuid(name));
    return compared.get(name);
  }

  /** Reads the UUID of a file from the start of its OME-XML. */
  private readUuid(name: string): string | undefined {
    try {
      const source = this.files.siblings.openAnyCase(name);
      const tag = source && readFirstPage(source).tags.get(TAG.imageDescription);
      if (!source || !tag || tag.valueOffset >= source.size) return undefined;
      const length = Math.min(tag.byteLength, ROOT_BYTES, source.size - tag.valueOffset);
      const text = decodeText(source.read(tag.valueOffset, length));
      const uuid = /<(?:\w+:)?OME\s[^>]*\bUUID\s*=\s*["']([^"']*)["']/.exec(text)?.[1];
      return uuid && uuidKey(uuid);
    } catch (error) {
      // A file that cannot be read as TIFF is not part of the set.
      if (error instanceof AcqError) return undefined;
      throw error;
    }
  }
}

/** Writers differ in case, and in whether they write `urn:uuid:`. */
function uuidKey(uuid: string): string {
  return uuid
    .trim()
    .toLowerCase()
    .replace(/^urn:uuid:/, '');
}

/** Only the name counts: a path from another computer must not lead out of the folder. */
function lastComponent(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
