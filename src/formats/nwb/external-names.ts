/** Where the files that `external_file` names are looked for: in the folder of the NWB file, and nowhere else. */

/** Names of `external_file` that are shown in messages are cut after this. */
const SHOWN = 200;

export interface ExternalName {
  /** As the file has it. */
  text: string;
  /** The same for messages. */
  shown: string;
  isWeb: boolean;
  /** Path below the folder of the NWB file; `undefined` for an address, an absolute path, and one that leads out. */
  relative: string | undefined;
  /** Last names of the path, the likeliest first; empty for a path without one. */
  lastNames: string[];
}

/** Pure. Accepts relative and absolute paths of any system, and addresses (`https://`, `s3://`, `file://`). */
export function parseExternalName(name: string): ExternalName {
  const shown = name.slice(0, SHOWN);
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

/** `film.tif` for `film.avi`: what the frames of a film should be saved as. */
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
