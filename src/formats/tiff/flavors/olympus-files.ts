import { basename } from 'node:path';
import { AcqError } from '../../../errors.js';
import type { ByteSource } from '../../../io/byte-source.js';
import type { Folder } from '../../../io/folder.js';
import { LIMITS } from '../../../io/limits.js';
import { decodeText } from '../../../io/text.js';
import { isOlympusSidecar, parseSidecar, type RawSidecar } from './olympus-text.js';

/** A member of a split set: `<stem>_C002T001.tif`, `<stem>_C001Z003T002.tif`. */
export interface MemberName {
  stem: string;
  extension: string;
  /** 1-based. */
  channel: number;
  /** Name of the member with other numbers; axes that the name lacks stay away. All 1-based. */
  withNumbers(channel: number, z: number, t: number): string;
  hasZ: boolean;
  hasT: boolean;
  z: number;
  t: number;
}

/** Splits off the last extension only: stems hold spaces and dots (`cell 05.v1`). */
export function splitStem(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? { stem: name.slice(0, dot), extension: name.slice(dot) } : { stem: name, extension: '' };
}

/** Numbers of a split set in a file name, `undefined` for a name without them. */
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

export interface FoundSidecar {
  name: string;
  /** The name as the folder spells it. */
  file: string;
  sidecar: RawSidecar;
}

/**
 * The text file of an exported TIFF: the text before `_C00n` and `.txt` for a member of a split set, else the same stem.
 * @param thorough also looks for other spellings (upper and lower case), which reads the folder's list
 */
export function findSidecar(
  folder: Folder,
  imageName: string,
  thorough: boolean,
  warnings: string[],
): FoundSidecar | undefined {
  const member = parseMemberName(imageName);
  const stems = [...(member ? [member.stem] : []), splitStem(imageName).stem];
  // A name that the folder refuses is only worth a warning when there should be a text file.
  if (!thorough && /[:\\]/.test(imageName)) return undefined;
  for (const stem of stems) {
    const names = [`${stem}.txt`, `${stem}.TXT`];
    for (const name of names) {
      const found = readSidecar(name, () => folder.open(name), warnings);
      if (found) return found;
    }
  }
  if (!thorough) return undefined;
  for (const stem of stems) {
    const name = `${stem}.txt`;
    const found = readSidecar(name, () => folder.openAnyCase(name), warnings);
    if (found) return found;
  }
  return undefined;
}

/** A text file that cannot be read is no reason not to open the image. */
function readSidecar(name: string, open: () => ByteSource | undefined, warnings: string[]): FoundSidecar | undefined {
  try {
    const source = open();
    if (!source) return undefined;
    if (source.size > LIMITS.sidecarBytes) {
      warnOnce(warnings, `${name}: has ${source.size} bytes, more than a text file of an acquisition; it was not read`);
      return undefined;
    }
    const sidecar = parseSidecar(decodeText(source.read(0, source.size)));
    return isOlympusSidecar(sidecar) ? { name, file: basename(source.name), sidecar } : undefined;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    warnOnce(warnings, `${name}: was not read: ${error.message}`);
    return undefined;
  }
}

function warnOnce(warnings: string[], warning: string): void {
  if (!warnings.includes(warning)) warnings.push(warning);
}
