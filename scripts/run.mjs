// What every npm script runs: node scripts/run.mjs start. It checks what is required before the script is read, whose syntax
// an old Node does not know.
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkRequirements } from './requirements.mjs';

checkRequirements();
const [node = '', , name, ...args] = process.argv;
const script = join(dirname(fileURLToPath(import.meta.url)), `${name}.mjs`);
// As if Node had been started with the script itself.
process.argv = [node, script, ...args];
import(pathToFileURL(script).href).catch((error) => {
  console.error(error);
  process.exit(1);
});
