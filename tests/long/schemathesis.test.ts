/** Schemathesis makes requests from the OpenAPI document, valid and invalid, and finds nothing that disagrees with it. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frames } from '../support/oif.js';
import { openOk } from '../support/open.js';
import { pythonWithSchemathesis } from '../support/python.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { writeOif } from '../writers/oif.js';

const run = promisify(execFile);
const folder = tempFolder();
const python = pythonWithSchemathesis();

/**
 * Rules that no schema can say (a path is absolute, a window is inside the plane) refuse requests that are valid by the
 * schema. `null` as the body of a renewal counts as no body. Part of a JSON document is not valid JSON. A body of another type
 * than JSON is refused before the method is: a TRACE with the bytes of a file is 415, not 405.
 */
const settings = (sessionId: string) => `
[parameters]
"path.sessionId" = "${sessionId}"
"path.channelIndex" = 0

[checks]
positive_data_acceptance.enabled = false
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428]

[[operations]]
include-path-regex = "/renew$"
[operations.checks]
negative_data_rejection.enabled = false

[[operations]]
include-path-regex = "/files/"
[operations.checks]
unsupported_method.enabled = false

[[operations]]
include-path-regex = "ome.zarr"
[operations.checks]
response_schema_conformance.enabled = false
`;

describe.skipIf(python === undefined)('the OpenAPI document', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
  });
  afterAll(() => server.close());

  it('is kept for every request that Schemathesis makes', async () => {
    const path = writeOif(join(folder, 'frames'), frames());
    const { sessionId } = await openOk(server.url, { path, ttlSeconds: 3600 });
    const file = join(folder, 'schemathesis.toml');
    writeFileSync(file, settings(sessionId));
    // The dialog would wait for somebody, events go on, and a session that is deleted answers nothing more.
    const options = [
      '--exclude-path-regex',
      'pick-and-open|events$',
      '--exclude-method',
      'DELETE',
      '--max-examples',
      '25',
    ];
    const phases = ['--phases', 'examples,coverage,fuzzing', '--generation-deterministic'];
    const command = join(dirname(python!), 'schemathesis');
    const ran = await run(
      command,
      ['--config-file', file, 'run', `${server.url}/openapi.json`, ...options, ...phases],
      { encoding: 'utf8', cwd: folder, maxBuffer: 2 ** 28 },
    ).then(
      ({ stdout }) => ({ code: 0, stdout }),
      (error: { code: number; stdout: string }) => ({ code: error.code, stdout: error.stdout }),
    );
    expect(ran.stdout).toMatch(/\d{3,} generated/);
    expect(ran, ran.stdout.slice(-4000)).toMatchObject({ code: 0 });
  }, 300_000);
});
