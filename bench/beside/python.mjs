// The Python of the reference server. Its libraries take half a minute and 400 MB to install, once.
import { join } from 'node:path';
import { prepareEnvironment } from '../../scripts/python-environment.mjs';

/** @returns {{ python: string, versions: string } | { reason: string }} the interpreter, or why there is none */
export function prepareReference() {
  return prepareEnvironment({
    purpose: 'bench',
    requirements: join(import.meta.dirname, 'requirements.txt'),
    needed: ['3', '11'],
  });
}
