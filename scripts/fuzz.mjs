// A long run of the hostile suite of one reader: node scripts/fuzz.mjs --reader tiff --cases 1000000
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: { reader: { type: 'string', default: 'tiff' }, cases: { type: 'string', default: '1000000' } },
});
const suites = readdirSync(join(root, 'tests', 'hostile')).filter(
  (name) => name === `${values.reader}.test.ts` || (name.startsWith(`${values.reader}-`) && name.endsWith('.test.ts')),
);
const cases = Number(values.cases);
if (suites.length === 0 || !Number.isInteger(cases) || cases < 1) {
  console.error(`no suite tests/hostile/${values.reader}*.test.ts, or no whole number of cases: ${values.cases}`);
  process.exit(2);
}
const started = Date.now();
const result = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    ...['run', '--testTimeout=0', '--hookTimeout=0', '--maxWorkers=1'],
    ...suites.map((name) => join('tests', 'hostile', name)),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, HOSTILE_CASES: String(cases) } },
);
console.log(`${cases} cases of ${suites.join(', ')}: ${Math.round((Date.now() - started) / 1000)} s`);
process.exit(result.status ?? 1);
