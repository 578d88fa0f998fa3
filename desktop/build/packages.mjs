// The packages of the desktop application, by their kind.
import { buildExecutable } from './executable.mjs';

/** @typedef {{ target: string, executable: string, packageFolder: string }} Built */

/** @type {Record<string, (built: Built) => string>} */
const KINDS = {
  executable: ({ executable }) => executable,
};

/**
 * Builds packages for one target. What they consist of must have been built.
 * @param {string} target
 * @param {readonly string[]} kinds
 * @returns {Promise<string[]>} their paths
 */
export async function buildPackages(target, kinds) {
  const makers = kinds.map((kind) => {
    const maker = KINDS[kind];
    if (!maker) throw new Error(`${kind}: not a kind; choose one of ${Object.keys(KINDS).join(', ')}`);
    return maker;
  });
  const { path, packageFolder } = await buildExecutable(target);
  return makers.map((make) => make({ target, executable: path, packageFolder }));
}
