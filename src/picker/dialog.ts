import type { PickKind } from './types.js';

/** One way to show the native file dialog. */
export interface Dialog {
  /** The program or service, as the user knows it. */
  name: string;
  /**
   * Shows the dialog and waits for the user. When `signal` is aborted the dialog closes, and the outcome is
   * `cancelled` once it is gone. `unavailable` means that the user cannot have seen a dialog, `failed` that it was
   * started and ended by itself.
   */
  show(request: DialogRequest, signal: AbortSignal): Promise<DialogOutcome>;
}

export interface DialogRequest {
  /** One line, not empty. */
  title: string;
  kind: PickKind;
  /** Extensions in lower case, each with its dot, e.g. `.ome.tif`; empty = all files only. Folders are not filtered. */
  extensions: string[];
  /** Absolute path of an existing folder. */
  folder: string;
}

export type DialogOutcome =
  | { status: 'chosen'; path: string }
  /** `printed`: what the program wrote to its error output, for the log. */
  | { status: 'cancelled'; printed?: string }
  | { status: 'unavailable'; why: string }
  | { status: 'failed'; why: string };

export const unavailable = (why: string): DialogOutcome => ({ status: 'unavailable', why });
export const failed = (why: string): DialogOutcome => ({ status: 'failed', why });

/** The name of the filter for `DialogRequest.extensions`, and of the one that is always offered beside it. */
export const FILTER_NAME = 'Acquisitions';
export const ALL_FILES = 'All files';

const MAX_TITLE = 160;

/**
 * One line of visible text. Control and formatting characters go: they could hide who asks (right-to-left
 * overrides) or end an argument.
 */
export function cleanTitle(title: string): string {
  const line = title
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  const short = characters.length > MAX_TITLE ? `${characters.slice(0, MAX_TITLE - 1).join('')}…` : line;
  return short || 'Open an acquisition';
}

/** Lower case, each once. What could not be written in every dialog's filter syntax is no extension of a format. */
export function cleanExtensions(extensions: readonly string[]): string[] {
  const usable = extensions.filter((extension) => /^(\.[\p{L}\p{N}_+-]+)+$/u.test(extension));
  return [...new Set(usable.map((extension) => extension.toLowerCase()))];
}

/** Glob patterns for any case, e.g. `*.[tT][iI][fF]`: GTK and the portal match with case. */
export function anyCaseGlobs(extensions: readonly string[]): string[] {
  const anyCase = (character: string) => {
    const upper = character.toUpperCase();
    return upper === character || [...upper].length > 1 ? character : `[${character}${upper}]`;
  };
  return extensions.map((extension) => `*${[...extension].map(anyCase).join('')}`);
}

/** Glob patterns in lower and upper case, for a dialog that shows them to the user. */
export function readableGlobs(extensions: readonly string[]): string[] {
  return [...new Set(extensions.flatMap((extension) => [`*${extension}`, `*${extension.toUpperCase()}`]))];
}
