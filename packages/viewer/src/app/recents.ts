import type { Interpretation } from '@acquisition-store/client/contract/interpretation.js';
import { MAX_THUMBNAIL } from '../files/thumbnail.ts';
import { toInterpretation, toParts } from '../stack/interpret.ts';

/** A recently opened file. Lists are sorted newest first and contain each path once. */
export interface Recent {
  readonly path: string;
  readonly name: string;
  readonly format: string;
  readonly selection?: Readonly<Record<string, number>>;
  readonly channels?: readonly number[];
  /** What the user said that its planes are. */
  readonly interpret?: Interpretation;
  /** `all` when it was opened with the other files of its recording. */
  readonly parts?: 'all';
  /** A small picture as a data address. */
  readonly picture?: string;
}

const MAX_RECENTS = 15;

export function withRecent(recents: readonly Recent[], recent: Recent): readonly Recent[] {
  const known = recents.find(({ path }) => path === recent.path)?.picture;
  const kept = known === undefined ? recent : { picture: known, ...recent };
  return [kept, ...withoutRecent(recents, recent.path)].slice(0, MAX_RECENTS);
}

/** Adds the picture of a file that is in the list. */
export function withPicture(recents: readonly Recent[], path: string, picture: string): readonly Recent[] {
  return recents.map((recent) => (recent.path === path ? { ...recent, picture } : recent));
}

export function withoutRecent(recents: readonly Recent[], path: string): readonly Recent[] {
  return recents.filter((recent) => recent.path !== path);
}

/** Reads the list that the browser has stored, which may contain anything. */
export function toRecents(value: unknown): readonly Recent[] {
  const recents = Array.isArray(value) ? value.filter(isRecent).slice(0, MAX_RECENTS) : [];
  return recents.map(({ interpret, parts, ...recent }) => ({
    ...recent,
    ...toInterpretation(interpret),
    ...toParts(parts),
  }));
}

function isRecent(value: unknown): value is Recent {
  if (typeof value !== 'object' || value === null) return false;
  const { path, name, format, selection, channels, picture } = value as Record<string, unknown>;
  if (picture !== undefined && !isPicture(picture)) return false;
  if (![path, name, format].every((text) => typeof text === 'string' && text.length < 4096)) return false;
  if (selection !== undefined && !isSelection(selection)) return false;
  return channels === undefined || (Array.isArray(channels) && channels.length > 0 && channels.every(isIndex));
}

function isPicture(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_THUMBNAIL && /^data:image\/(webp|png);base64,/.test(value);
}

function isSelection(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(([dim, index]) => /^[STZ]$/.test(dim) && isIndex(index));
}

function isIndex(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}
