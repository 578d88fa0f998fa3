/** The tests of the command line, of HTTP and of the client, against the packaged program in place of the source. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildDesktop } from '../../../packages/desktop/build/build.mjs';
import { buildPackages } from '../../../packages/desktop/build/packages.mjs';
import { packageVersion } from '../../../packages/server/src/package-files.js';
import { REPOSITORY } from '../../support/cli.js';
import { describeWithPrograms } from '../../support/desktop.js';
import { tempFolder } from '../../support/temp.js';
import { TARGET, whyNotBuilt } from './built.js';

/** Whatever starts `acqstore` by itself and asks it over HTTP or on the command line. */
const FILES = [
  'tests/cli',
  'tests/client',
  'tests/http/allowed-formats.test.ts',
  'tests/http/connections.test.ts',
  'tests/http/file-size.test.ts',
  'tests/http/hung-mount.test.ts',
  'tests/http/inspect-agrees.test.ts',
  'tests/http/long-paths.test.ts',
  'tests/http/token.test.ts',
  'tests/http/uploads.test.ts',
  'tests/policy/tutorial.test.ts',
];
const MINUTES = 60_000;

const problem = whyNotBuilt();
if (problem !== undefined) console.warn(problem);

describeWithPrograms(
  'the packaged program',
  problem === undefined ? ['tar'] : ['Node of the desktop application'],
  () => {
    const folder = tempFolder();
    const program = join(folder, `acquisition-store-${packageVersion()}-${TARGET}`, 'acqstore');

    beforeAll(async () => {
      buildDesktop();
      const [tarball] = (await buildPackages(TARGET, ['tar.gz'])) as [string];
      mkdirSync(folder, { recursive: true });
      expect(spawnSync('tar', ['-xzf', tarball, '-C', folder]).status).toBe(0);
    });

    it(
      'passes the tests of the command line, of HTTP and of the client',
      () => {
        const vitest = join(REPOSITORY, 'node_modules/vitest/vitest.mjs');
        const { status, stdout, stderr } = spawnSync(
          process.execPath,
          [vitest, 'run', '--config', 'vitest.config.ts', '--retry=1', '--reporter=json', ...FILES],
          {
            cwd: REPOSITORY,
            env: { ...process.env, ACQSTORE_TEST_PROGRAM: program },
            encoding: 'utf8',
            maxBuffer: 2 ** 28,
          },
        );
        const report = JSON.parse(stdout.slice(stdout.indexOf('{"num'))) as Report;
        const failed = report.testResults.flatMap(({ assertionResults }) =>
          assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName),
        );
        expect(failed).toEqual([]);
        expect(status, stderr).toBe(0);
        console.log(`${report.numPassedTests} tests passed against ${program}`);
        expect(report.numPassedTests).toBeGreaterThan(200);
      },
      10 * MINUTES,
    );
  },
);

interface Report {
  numPassedTests: number;
  testResults: { assertionResults: { fullName: string; status: string }[] }[];
}
