import { fileURLToPath } from 'node:url';
import { prepareEnvironment } from '../../scripts/python-environment.mjs';

/** Finds a Python with NumPy, made in the user's cache when it is missing; says loudly when there is none. */
export function pythonWithNumpy(): string | undefined {
  const requirements = fileURLToPath(new URL('./python-requirements.txt', import.meta.url));
  const found = prepareEnvironment({ purpose: 'tests', requirements, needed: ['3', '9'] });
  if ('python' in found) return found.python;
  console.warn(`NO PYTHON WITH NUMPY: ${found.reason}`);
  return undefined;
}
