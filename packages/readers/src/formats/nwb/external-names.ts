/** Parses `external_file`. The files are looked for in the folder of the NWB file and only there. */

/** Characters of a name shown in messages. */
const MAX_SHOWN = 200;

export interface ExternalName {
  /** As in the file. */
  text: string;
  /** Shortened for messages. */
  shown: string;
  isWeb: boolean;
  /** Path below the folder of the NWB file; `undefined` for a URL, an absolute path, and a path outside the folder. */
  relative: string | undefined;
  /** Base names of the path, likeliest first; empty for a path without one. */
  lastNames: string[];
}

/** Parses relative and absolute paths of any system, and URLs (`https://`, `s3://`, `file://`). Pure. */
export function parseExternalName(name: string): ExternalName {
  const shown = name.slice(0, MAX_SHOWN);
  const scheme = /^([a-z][a-z0-9+.-]+):\/\/|^file:/i.exec(name);
  if (scheme) {
    const path = name.slice(scheme[0].length);
    const bare = path.replace(/[?#].*$/s, '');
    const names = [decoded(bare), bare, path].map(lastName);
    return { text: name, shown, isWeb: true, relative: undefined, lastNames: distinct(names) };
  }
  const path = name.replaceAll('\\', '/').replace(/^(\.\/+)+/, '');
  const leadsOut = path.startsWith('/') || /^[a-z]:/i.test(path) || path.split('/').includes('..');
  const last = lastName(path);
  const relative = leadsOut || last === undefined ? undefined : path;
  return { text: name, shown, isWeb: false, relative, lastNames: distinct([last]) };
}

/** Returns the TIFF name for a film: `film.tif` for `film.avi`. */
export function tiffName(name: string): string {
  return /\.(tiff?|tf8|btf)$/i.test(name) ? name : `${name.replace(/\.[^.]*$/, '')}.tif`;
}

function lastName(path: string): string | undefined {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  return name === '' || name === '.' || name === '..' || path.includes('\0') ? undefined : name;
}

/** Percent codes undone where they are valid. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function distinct(names: (string | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== undefined))];
}
