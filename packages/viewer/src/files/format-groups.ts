import type { Capabilities } from '@acquisition-store/client/contract/common.js';

type Formats = Capabilities['formats'];

interface FormatGroup {
  readonly name: string;
  readonly extensions: readonly string[];
}

/** Returns the extensions under the heading of each group of formats. */
export function groupFormats(formats: Formats): readonly FormatGroup[] {
  const groups = new Map<string, Set<string>>();
  for (const { group, extensions } of formats) {
    groups.set(group, new Set([...(groups.get(group) ?? []), ...extensions]));
  }
  return [...groups].map(([name, extensions]) => ({ name, extensions: [...extensions] }));
}

/** Returns the formats whose acquisitions can be folders, for a hint. */
export function folderFormats(formats: Formats): string {
  return formats
    .filter(({ opensFolders }) => opensFolders)
    .map(({ name }) => name)
    .join(', ');
}
