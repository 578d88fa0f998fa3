// Which versions of Node work. Node 12 can read this file, and what imports it first, so that an old Node ends with one
// sentence instead of a syntax error: no top-level await, no `??` and no `?.`.

/** The versions of `engines` in package.json, in words. Node 21 and 22.0 to 22.11 cannot run the build. */
const NODE_VERSIONS = '20.19, or 22.12 or newer';

/**
 * Returns what is wrong with a version of Node, or an empty string.
 * @param {string} version such as 22.12.0
 * @returns {string}
 */
export function nodeFault(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22) return '';
  return `Acquisition Store Server requires Node ${NODE_VERSIONS}; this is Node ${version}. Install another one from https://nodejs.org.`;
}
