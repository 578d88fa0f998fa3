// What must hold before anything is installed or built. Node 12 can read this file: see node-version.mjs.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFault } from './node-version.mjs';

/**
 * Returns what is wrong with the folder of the project, or an empty string.
 * @param {string} folder
 */
function folderFault(folder) {
  // The bundler reads # and ? as the end of a file name, as in an address, and the compiler reads * as any name.
  const [character] = /[#?*]/.exec(folder) || [];
  if (character === undefined) return '';
  return `The path of this folder contains ${character}, which the build does not support: ${folder}. Rename or move it.`;
}

/** Ends the process with one sentence when something is missing. */
export function checkRequirements() {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const fault = nodeFault(process.versions.node) || folderFault(root);
  if (fault === '') return;
  console.error(fault);
  process.exit(1);
}
