import { fileURLToPath } from 'node:url';
import { prepareEnvironment } from '../../scripts/python-environment.mjs';

/** Finds a Python with NumPy, made in the user's cache when it is missing; says loudly when there is none. */
export function pythonWithNumpy(): string | undefined {
  return pythonWith('NumPy', './python-requirements.txt', ['3', '9']);
}

/** The same, new enough for the Python client. */
export function pythonForClient(): string | undefined {
  return pythonWith('NumPy', './python-requirements.txt', ['3', '10']);
}

/** The same with Schemathesis. */
export function pythonWithSchemathesis(): string | undefined {
  return pythonWith('Schemathesis', './schemathesis-requirements.txt', ['3', '10']);
}

function pythonWith(what: string, file: string, needed: [string, string]): string | undefined {
  const requirements = fileURLToPath(new URL(file, import.meta.url));
  const found = prepareEnvironment({ purpose: 'tests', requirements, needed });
  if ('python' in found) return found.python;
  console.warn(`NO PYTHON WITH ${what.toUpperCase()}: ${found.reason}`);
  return undefined;
}
