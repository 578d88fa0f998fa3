/** The recipe for Dask, against two instances behind HAProxy. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareEnvironment } from '../../scripts/python-environment.mjs';
import { REPOSITORY } from '../support/cli.js';
import { Deployment, missingProgram, TOKEN } from '../support/deployment.js';
import { LONG } from '../support/long.js';
import { tempFolder } from '../support/temp.js';

const lacking = missingProgram('haproxy', 'redis-server');
const requirements = join(REPOSITORY, 'tests/support/dask-requirements.txt');
const found = LONG
  ? prepareEnvironment({ purpose: 'dask', requirements, needed: ['3', '11'] })
  : { reason: 'only in the long tests' };
const python = 'python' in found ? found.python : undefined;
if (lacking || !python) console.warn(`NO DASK: ${lacking ?? ('reason' in found ? found.reason : '')}`);

/** Its certificate is one that nobody has signed. */
const withoutTls = (configuration: string) => configuration.replace(/bind (\S+) ssl .*/, 'bind $1');

describe.skipIf(lacking !== undefined || python === undefined)('Dask', () => {
  const base = tempFolder();
  const root = join(base, 'data');
  let deployment: Deployment;
  beforeAll(async () => {
    mkdirSync(root);
    cpSync(join(REPOSITORY, 'packages/server/warm-up/stack.ome.zarr.zip'), join(root, 'stack.ome.zarr.zip'));
    deployment = await Deployment.start({
      balancer: 'haproxy',
      root,
      args: ['--allow-host', '127.0.0.1'],
      edit: withoutTls,
    });
  });
  afterAll(() => deployment?.close());

  it('reads the OME-Zarr address of a session, as the page for operators says', async () => {
    const page = readFileSync(join(REPOSITORY, 'docs/operating.md'), 'utf8');
    const [, recipe = ''] = /```python\n([\s\S]*?)\n\s*```/.exec(page) ?? [];
    const names = {
      server: deployment.url.replace('https:', 'http:'),
      path: join(root, 'stack.ome.zarr.zip'),
      token: TOKEN,
    };
    const given = Object.entries(names).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
    // The means of all planes, compared with those of the samples that the server sends as planes.
    const check = `
import numpy
means = image.mean(axis=(-2, -1)).compute()
header = session["header"]["sizes"]
for c in range(image.shape[1]):
    for t in range(image.shape[0]):
        for z in range(image.shape[2]):
            url = server + session["channels"][c]["dataUrl"] + f"?T={t}&Z={z}"
            plane = numpy.frombuffer(requests.get(url, headers=HEADERS).content, "<f4")
            assert abs(plane.mean(dtype="f8") - means[t, c, z]) < 1e-3, (t, c, z)
print("equal", image.shape)
`;
    const program = join(base, 'recipe.py');
    writeFileSync(program, given.join('') + recipe.replace(/^ {2}/gm, '') + check);
    const { stdout } = await promisify(execFile)(python!, [program]);
    expect(stdout).toMatch(/equal \(\d+, \d+, \d+, \d+, \d+\)/);
  }, 120_000);
});
