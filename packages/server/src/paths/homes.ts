import { basename, parse } from 'node:path';
import { type AcqError, unsupported } from '@acquisition-store/readers/base/errors.js';
import { describeForeignName } from '@acquisition-store/readers/formats/foreign-files.js';
import { extensionOf, FORMATS } from '@acquisition-store/readers/formats/index.js';
import { describePathMistake } from './path-mistakes.js';

/**
 * For a file or folder that is part of an acquisition, returns the paths that represent the whole, limited to allowed
 * extensions. Without one, a part that can be read by itself is opened by itself. Pure: nothing need exist.
 */
export function homesOf(path: string, kind: 'file' | 'folder', allowed: readonly string[]): string[] {
  return FORMATS.flatMap((format) => {
    const home = kind === 'file' ? format.home?.(path) : format.homeOfFolder?.(path);
    if (home === undefined) return [];
    const permitted = format.opensFolders
      ? format.extensions.some((extension) => allowed.includes(extension))
      : extensionOf(basename(home), allowed) !== undefined;
    return permitted ? [home] : [];
  });
}

/** The error for a file whose extension is not supported, or not allowed. The formats are too many to list. */
export function unreadableName(path: string): AcqError {
  const name = basename(path);
  return unsupported(describeUnreadable(path, name)).about(name);
}

function describeUnreadable(path: string, name: string): string {
  const known = extensionOf(name);
  if (known !== undefined) return `this server does not open ${known} files (--allow-ext).`;
  const mistake = describePathMistake(path, process.platform);
  if (mistake !== undefined) return `the path ${mistake}`;
  const { ext } = parse(name);
  const foreign = describeForeignName(ext.toLowerCase());
  if (foreign !== undefined) return foreign;
  const problem =
    ext === '' ? 'has no file extension' : `${ext.slice(0, 20)} is not the extension of a supported format`;
  return `${problem}. The first page of the viewer and \`acqstore formats\` list the supported formats.`;
}
