/** The Python client with Debian's packages: metadata, one file of several formats, the programs of its page. `long.test.ts` runs everything. */
import { describe, expect, it } from 'vitest';
import { debianPython, runPytest } from '../support/python-client.js';

const python = debianPython();

describe.skipIf(python === undefined)('the Python client with the packages of Debian', () => {
  it('reads metadata and samples', () => {
    const told = runPytest(python!, [
      'test_metadata.py',
      'test_choices.py',
      'test_samples.py',
      'test_events.py',
      'test_docs.py',
    ]);
    expect(told).toMatch(/\d\d passed/);
  }, 180_000);
});
