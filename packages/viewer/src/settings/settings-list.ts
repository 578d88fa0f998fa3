/** The vendor's settings as the panel shows them: searched, and in groups by the path to them. */
import type { MetadataEntry } from '@acquisition-store/client/contract/vendor-metadata.js';

export interface SettingsGroup {
  /** What the names of its entries have in common, up to the last slash; empty for names without one. */
  readonly path: string;
  readonly rows: readonly SettingsRow[];
}

export interface SettingsRow {
  readonly name: string;
  readonly entry: MetadataEntry;
}

/** Returns the entries that have each word of a search in their name or value, regardless of case. */
export function searchEntries(entries: readonly MetadataEntry[], search: string): readonly MetadataEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries.filter(({ name, value }) => {
    const text = `${name}\n${value}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Puts entries that follow each other and have the same path into one group. */
export function groupEntries(entries: readonly MetadataEntry[]): SettingsGroup[] {
  const groups: { path: string; rows: SettingsRow[] }[] = [];
  for (const entry of entries) {
    const slash = entry.name.lastIndexOf('/');
    const path = entry.name.slice(0, Math.max(0, slash));
    if (groups.at(-1)?.path !== path) groups.push({ path, rows: [] });
    groups.at(-1)!.rows.push({ name: entry.name.slice(slash + 1), entry });
  }
  return groups;
}

/** Returns entries as lines of a table, for a spreadsheet. */
export function toLines(entries: readonly MetadataEntry[]): string {
  return entries.map(({ name, value }) => `${oneLine(name)}\t${oneLine(value)}\n`).join('');
}

function oneLine(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ');
}
