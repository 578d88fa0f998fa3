import { AcqError } from '../../../base/errors.js';
import { LIMITS } from '../../../base/limits.js';
import { quoteError } from '../../../base/subject.js';
import { grouped, subjectFirst } from '../../../base/wording.js';
import type { ByteSource } from '../../../io/byte-source.js';
import type { Siblings } from '../../../io/folder.js';
import { lastPart } from '../../../io/paths.js';
import { decodeText } from '../../../io/text.js';
import type { FlavorContext } from '../arrangement.js';
import { isOlympusSidecar, parseSidecar, type RawSidecar } from './olympus-text.js';
import { isFluoViewExport } from './signs.js';

/** A member of a split set: `<stem>_C002T001.tif`, `<stem>_C001Z003T002.tif`. All numbers are 1-based. */
export interface MemberName {
  stem: string;
  extension: string;
  channel: number;
  /** Returns the name of the member with other numbers. Axes that the name lacks are ignored. */
  withNumbers(channel: number, z: number, t: number): string;
  hasZ: boolean;
  hasT: boolean;
  z: number;
  t: number;
}

/** Splits off the last extension only: stems contain spaces and dots (`cell 05.v1`). */
export function splitStem(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? { stem: name.slice(0, dot), extension: name.slice(dot) } : { stem: name, extension: '' };
}

/** Parses the numbers of a split set in a file name; returns `undefined` for a name without them. */
export function parseMemberName(name: string): MemberName | undefined {
  const { stem, extension } = splitStem(name);
  const match = /^(.+?)_C(\d{3})(?:Z(\d{3,6}))?(?:T(\d{3,6}))?(?!\d)(.*)$/i.exec(stem);
  if (!match || (match[3] === undefined && match[4] === undefined)) return undefined;
  const [, base = '', channel = '', z, t, rest = ''] = match;
  const padded = (value: number, like: string) => String(value).padStart(like.length, '0');
  return {
    stem: base,
    extension,
    channel: Number(channel),
    withNumbers: (c, zs, ts) =>
      `${base}_C${padded(c, channel)}${z ? `Z${padded(zs, z)}` : ''}${t ? `T${padded(ts, t)}` : ''}${rest}${extension}`,
    hasZ: z !== undefined,
    hasT: t !== undefined,
    z: Number(z ?? 1),
    t: Number(t ?? 1),
  };
}

/** The text file of an exported TIFF. */
export interface Sidecar {
  name: string;
  /** The name as in the folder. */
  file: string;
  pairs: RawSidecar;
}

/** The text file, if there is one, and warnings about those that could not be read. */
export interface SidecarSearch {
  sidecar?: Sidecar;
  notes: string[];
}

/** Finds the text file of the opened image. */
export function searchSidecar({ input, page }: FlavorContext): SidecarSearch {
  const { name } = input.probe;
  return findSidecar(input.folder, name, parseMemberName(name) !== undefined || isFluoViewExport(page));
}

/**
 * Finds the text file of an exported TIFF. Its stem is the part before `_C00n` for a member of a split set, or the stem of
 * the image.
 * @param listsFolder also tries other capitalizations, which lists the folder
 */
export function findSidecar(siblings: Siblings, imageName: string, listsFolder: boolean): SidecarSearch {
  const notes: string[] = [];
  // A name that the folder refuses is only worth a warning if there should be a text file.
  if (!listsFolder && /[:\\]/.test(imageName)) return { notes };
  const member = parseMemberName(imageName);
  const stems = [...(member ? [member.stem] : []), splitStem(imageName).stem];
  const attempts = stems.flatMap((stem) => [`${stem}.txt`, `${stem}.TXT`].map((name) => ({ name, anyCase: false })));
  if (listsFolder) attempts.push(...stems.map((stem) => ({ name: `${stem}.txt`, anyCase: true })));
  for (const { name, anyCase } of attempts) {
    const { sidecar, note } = readSidecar(name, () => (anyCase ? siblings.openAnyCase(name) : siblings.open(name)));
    if (note !== undefined) notes.push(note);
    if (sidecar) return { sidecar, notes };
  }
  return { notes };
}

/** A text file that cannot be read must not prevent opening the image. */
function readSidecar(name: string, open: () => ByteSource | undefined): { sidecar?: Sidecar; note?: string } {
  try {
    const source = open();
    if (!source) return {};
    if (source.size > LIMITS.sidecarBytes) {
      const problem = `was ignored because it has ${grouped(source.size)} bytes; the limit is ${grouped(LIMITS.sidecarBytes)}`;
      return { note: subjectFirst(name, problem) };
    }
    const pairs = parseSidecar(decodeText(source.read(0, source.size)));
    return isOlympusSidecar(pairs) ? { sidecar: { name, file: lastPart(source.name), pairs } } : {};
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    return { note: quoteError('was ignored', error.about(name)) };
  }
}
