import type { PickKind } from './types.js';

/** One way to show the native file dialog. */
export interface Dialog {
  /** Name of the program or service that users know. */
  name: string;
  /**
   * Shows the dialog and waits for the user. When `signal` aborts, closes the dialog and then returns `cancelled`.
   * `unavailable` means that no dialog was shown, `failed` that it was started but crashed or reported an error.
   */
  show(request: DialogRequest, signal: AbortSignal): Promise<DialogOutcome>;
}

export interface DialogRequest {
  /** One line, not empty. */
  title: string;
  kind: PickKind;
  /** Extensions in lower case, each with its dot, e.g. `.ome.tif`; empty for all files. Folders are not filtered. */
  extensions: string[];
  /** Absolute path of an existing folder. */
  folder: string;
}

export type DialogOutcome =
  | { status: 'chosen'; path: string }
  /** `printed`: what the program wrote to standard error, for the log. */
  | { status: 'cancelled'; printed?: string }
  | { status: 'unavailable'; why: string }
  | { status: 'failed'; why: string };

export const unavailable = (why: string): DialogOutcome => ({ status: 'unavailable', why });
export const failed = (why: string): DialogOutcome => ({ status: 'failed', why });

/** Names of the filter for `DialogRequest.extensions` and of the filter for all files. */
export const FILTER_NAME = 'Acquisitions';
export const ALL_FILES = 'All files';

const MAX_TITLE = 160;

/**
 * Returns one line of visible text. Removes control and formatting characters, which could hide the requester
 * (right-to-left overrides) or end an argument.
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

/** Returns unique extensions in lower case, without those that not every dialog can filter for; no format has such. */
export function cleanExtensions(extensions: readonly string[]): string[] {
  const usable = extensions.filter((extension) => /^(\.[\p{L}\p{N}_+-]+)+$/u.test(extension));
  return [...new Set(usable.map((extension) => extension.toLowerCase()))];
}

/** Returns glob patterns for any case, e.g. `*.[tT][iI][fF]`, because GTK and the portal are case-sensitive. */
export function anyCaseGlobs(extensions: readonly string[]): string[] {
  const anyCase = (character: string) => {
    const upper = character.toUpperCase();
    return upper === character || [...upper].length > 1 ? character : `[${character}${upper}]`;
  };
  return extensions.map((extension) => `*${[...extension].map(anyCase).join('')}`);
}

/** Returns glob patterns in lower and upper case, for a dialog that shows them to the user. */
export function readableGlobs(extensions: readonly string[]): string[] {
  return [...new Set(extensions.flatMap((extension) => [`*${extension}`, `*${extension.toUpperCase()}`]))];
}
