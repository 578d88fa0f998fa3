/**
 * Names of files that are spelled in another way elsewhere: in other case, or with accents as one character or as two
 * (Unicode NFC and NFD), which depends on the system that wrote them.
 */
import { AcqError } from '../base/errors.js';
import { grouped } from '../base/wording.js';

/** True for names that have one spelling in Unicode. */
export function isAscii(name: string): boolean {
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** Returns what names that differ only in NFC and NFD have in common. */
export function composed(name: string): string {
  return isAscii(name) ? name : name.normalize('NFC');
}

/** Returns what names that differ only in NFC, NFD and case have in common. */
export function nameKey(name: string): string {
  return composed(name).toLowerCase();
}

/** Finds a name as it is spelled in a list. */
export class NameIndex {
  private readonly exact: ReadonlySet<string>;
  private readonly anyCase: ReadonlyMap<string, string>;
  private accented: Map<string, string[]> | undefined;

  constructor(names: readonly string[]) {
    this.exact = new Set(names);
    this.anyCase = new Map(names.map((name) => [nameKey(name), name]));
  }

  /** Finds a name exactly, else in NFC or NFD, else in any case. @throws AcqError like `findSame` */
  find(name: string): string | undefined {
    return this.findSame(name) ?? this.anyCase.get(nameKey(name));
  }

  /**
   * Finds a name exactly, else in NFC or NFD.
   * @throws AcqError `companion_missing` when several names differ from it only in that
   */
  findSame(name: string): string | undefined {
    const [first, ...others] = this.spellings(name);
    if (others.length > 0) throw new AcqError('companion_missing', ambiguity(others.length + 1), { subject: name });
    return first;
  }

  /** Returns the name itself if it is in the list, else all that differ from it only in NFC and NFD. */
  spellings(name: string): readonly string[] {
    if (this.exact.has(name)) return [name];
    if (isAscii(name)) return [];
    this.accented ??= groupAccented(this.exact);
    return this.accented.get(composed(name)) ?? [];
  }
}

/** Describes a name that stands for several files. */
export function ambiguity(count: number): string {
  return (
    `the folder contains ${grouped(count)} entries of this name, whose accents are composed in different ways (Unicode NFC ` +
    'and NFD), and none is spelled exactly like it. Rename all but one.'
  );
}

function groupAccented(names: ReadonlySet<string>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    if (isAscii(name)) continue;
    const group = groups.get(composed(name));
    if (group) group.push(name);
    else groups.set(composed(name), [name]);
  }
  return groups;
}
