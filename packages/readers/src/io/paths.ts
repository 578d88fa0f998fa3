/**
 * Names of files inside the folder of an acquisition, which have `/` between their parts on every system, and absolute paths, which
 * tell by themselves whether they are of Windows.
 */

/** Returns the last part of a name. */
export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Returns the folder that a name is in; empty for the folder of the acquisition. */
export function parentOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}

/**
 * Resolves `.` and `..` in a name that is relative to another folder.
 * @param from folder inside that of the acquisition
 * @returns `undefined` when it leads out of the folder of the acquisition, or is that folder itself
 */
export function resolveName(from: string, name: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${from}/${name}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? undefined : parts.join('/');
}

/** Returns the last part of an absolute path. */
export function baseName(path: string): string {
  const end = isOfWindows(path) ? Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/')) : path.lastIndexOf('/');
  return path.slice(end + 1);
}

/** Returns the absolute path of a name inside a folder. @param folder absolute path */
export function pathInside(folder: string, name: string): string {
  const [separator, root] = isOfWindows(folder) ? ['\\', 3] : ['/', 1];
  let path = folder;
  for (const part of name.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') path = path.slice(0, Math.max(root, path.lastIndexOf(separator)));
    else path += path.endsWith(separator) ? part : separator + part;
  }
  return path;
}

function isOfWindows(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
}
