// Which packages of package-lock.json are missing in node_modules.

/**
 * @typedef {{
 *   version?: string, link?: boolean, resolved?: string, os?: string[], cpu?: string[], libc?: string[],
 *   dependencies?: Record<string, string>, devDependencies?: Record<string, string>,
 *   optionalDependencies?: Record<string, string>, peerDependencies?: Record<string, string>,
 *   peerDependenciesMeta?: Record<string, { optional?: boolean }>,
 * }} Locked an entry of a lockfile
 * @typedef {Record<string, Locked>} Packages by their folder
 */

/**
 * Returns the folders of packages that this computer needs and that are missing, or have another version.
 * @param {object} from
 * @param {Packages} from.locked of package-lock.json
 * @param {Packages} from.installed of node_modules/.package-lock.json
 * @param {string[]} from.workspaces whose dependencies are needed; the root is ''
 * @param {(folder: string) => boolean} from.has true when the folder has a package
 * @returns {string[]}
 */
export function missingPackages({ locked, installed, workspaces, has }) {
  return neededPackages(locked, workspaces).filter((folder) => {
    const { link, version } = locked[folder] || {};
    const entry = installed[folder];
    return entry === undefined || (!link && entry.version !== version) || !has(folder);
  });
}

/**
 * Returns the folders of the packages that the workspaces need on this computer.
 * @param {Packages} locked
 * @param {string[]} workspaces
 * @returns {string[]}
 */
export function neededPackages(locked, workspaces) {
  // npm links a workspace into node_modules.
  const links = Object.keys(locked).filter((folder) => workspaces.includes(locked[folder]?.resolved ?? '…'));
  return [...links, ...reachedFrom(locked, workspaces, workspaces)];
}

/**
 * Returns the folders of the packages that a workspace runs with.
 * @param {Packages} locked
 * @param {string} workspace
 * @returns {string[]}
 */
export function runtimePackages(locked, workspace) {
  return reachedFrom(locked, [workspace], []);
}

/**
 * @param {Packages} locked
 * @param {string[]} from folders
 * @param {string[]} developed those of them whose tools are needed, too
 * @returns {string[]}
 */
function reachedFrom(locked, from, developed) {
  /** @type {Set<string>} */
  const needed = new Set();
  const waiting = [...from];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    for (const name of dependenciesOf(locked[one] ?? {}, developed.includes(one))) {
      const folder = findPackage(locked, one, name);
      if (folder === undefined || needed.has(folder) || !fitsHere(locked[folder] ?? {})) continue;
      needed.add(folder);
      waiting.push(folder);
    }
  }
  return [...needed];
}

/**
 * Returns the folders of the workspaces, without the root.
 * @param {Packages} locked
 * @returns {string[]}
 */
export function workspacesOf(locked) {
  return Object.keys(locked).filter((folder) => folder !== '' && !folder.includes('node_modules/'));
}

/**
 * @param {Locked} entry
 * @param {boolean} isWorkspace
 */
function dependenciesOf(entry, isWorkspace) {
  const isOptional = (/** @type {string} */ name) => entry.peerDependenciesMeta?.[name]?.optional === true;
  return [
    ...Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }),
    ...Object.keys(isWorkspace ? (entry.devDependencies ?? {}) : {}),
    ...Object.keys(entry.peerDependencies ?? {}).filter((name) => !isOptional(name)),
  ];
}

/**
 * Looks for a package as Node does: beside the one that needs it, then further up.
 * @param {Packages} locked
 * @param {string} from
 * @param {string} name
 */
function findPackage(locked, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder}${folder === '' ? '' : '/'}node_modules/${name}`;
    if (locked[path]) return path;
    if (folder === '') return undefined;
  }
}

/**
 * False for a package that npm skips on this computer.
 * @param {Locked} entry
 */
function fitsHere({ os, cpu, libc }) {
  return matches(os, process.platform) && matches(cpu, process.arch) && (!libc || matches(libc, findLibc()));
}

/**
 * @param {string[] | undefined} list names, or names with a `!` that are excluded
 * @param {string} name
 */
function matches(list, name) {
  if (!list) return true;
  return list.includes(name) || (list.every((entry) => entry.startsWith('!')) && !list.includes(`!${name}`));
}

/** @type {string | undefined} */
let libc;

/** Returns the C library of this system, as npm names it. */
function findLibc() {
  if (libc !== undefined) return libc;
  if (process.platform !== 'linux') return '';
  // Without the network: looking up the names of its addresses can take seconds.
  const report = Object.assign(process.report, { excludeNetwork: true }).getReport();
  const { header, sharedObjects } =
    /** @type {{ header: { glibcVersionRuntime?: string }, sharedObjects: string[] }} */ (report);
  const isMusl = sharedObjects.some((path) => /libc\.musl-|ld-musl-/.test(path));
  libc = header.glibcVersionRuntime ? 'glibc' : isMusl ? 'musl' : '';
  return libc;
}
