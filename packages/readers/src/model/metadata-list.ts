import { grouped } from '../base/wording.js';

/** The limits of a list of metadata: a file can contain any amount. */
export const METADATA_LIMITS = {
  entries: 10_000,
  /** Characters of one name, and of one value. */
  nameCharacters: 512,
  valueCharacters: 1_024,
  /** Characters of all names, values and notes. Settings of large microscopes take more than a million. */
  characters: 2 ** 21,
} as const;

/** One of the vendor's own names, with its value as the file has it. */
export interface MetadataEntry {
  name: string;
  value: string;
  /** What the value lacks. */
  note?: string;
}

/** Name of a value without one. */
const UNNAMED = 'Unnamed';

/** Collects the vendor's own metadata in file order, within the limits. */
export class MetadataList {
  private readonly entries: MetadataEntry[] = [];
  private characters = 0;
  private isTruncated = false;

  /** True after an entry did not fit. Whoever adds more may stop. */
  get isFull(): boolean {
    return this.isTruncated;
  }

  /**
   * Adds an entry. A value that is too long is cut and gets a note; an entry that no longer fits is left out.
   * @param note what the value lacks already
   */
  add(name: string, value: string, note?: string): void {
    if (this.isTruncated) return;
    const { valueCharacters, nameCharacters } = METADATA_LIMITS;
    const entry: MetadataEntry = { name: cut(name, nameCharacters) || UNNAMED, value };
    if (value.length > valueCharacters) {
      entry.value = cut(value, valueCharacters);
      entry.note = `The first ${grouped(entry.value.length)} of ${grouped(value.length)} characters`;
    }
    if (note !== undefined) entry.note = note;
    const characters = this.characters + entry.name.length + entry.value.length + (entry.note?.length ?? 0);
    if (this.entries.length === METADATA_LIMITS.entries || characters > METADATA_LIMITS.characters) {
      this.isTruncated = true;
      return;
    }
    this.characters = characters;
    this.entries.push(entry);
  }

  result(): { entries: MetadataEntry[]; truncated: boolean } {
    return { entries: this.entries, truncated: this.isTruncated };
  }
}

/** Cuts a text without splitting a surrogate pair. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}
