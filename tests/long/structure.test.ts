/** What an open goes through stays as little as decision 0035 says: counted in a checkout whose packages are not bundled. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const SCOPE = '@acquisition-store';
const folder = mkdtempSync(join(tmpdir(), 'structure-'));
const checkout = join(folder, 'checkout');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: string, args: readonly string[], cwd = root) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Gives the checkout the installed packages, and its own ones in place of those that are bundled. */
function linkModules(): void {
  const [from, to] = [root, checkout].map((each) => join(each, 'node_modules')) as [string, string];
  mkdirSync(join(to, SCOPE), { recursive: true });
  for (const name of readdirSync(from)) if (name !== SCOPE) symlinkSync(join(from, name), join(to, name));
  for (const name of readdirSync(join(from, SCOPE)))
    symlinkSync(join(checkout, 'packages', name), join(to, SCOPE, name));
}

it.skipIf(process.platform !== 'linux' || !existsSync(join(root, '.git')))(
  'an open goes through few files, types and climbs (Linux, in a clone)',
  () => {
    run('git', ['clone', '-q', '--no-hardlinks', root, checkout]);
    // What has not been committed counts too.
    for (const path of run('git', ['ls-files', '-m', '-o', '--exclude-standard', 'packages']).split('\n')) {
      if (path !== '' && existsSync(join(root, path))) cpSync(join(root, path), join(checkout, path));
      else if (path !== '') rmSync(join(checkout, path));
    }
    linkModules();
    for (const name of ['readers', 'client', 'conformance', 'server'])
      run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', `packages/${name}`], checkout);
    const text = run(process.execPath, ['scripts/structure.mjs', checkout], checkout);
    const count = (what: RegExp) => Number(what.exec(text)?.[1] ?? Number.NaN);
    console.info(text);
    expect(count(/without readers: (\d+) files/)).toBeLessThanOrEqual(40);
    expect(count(/with (\d+) named types/)).toBeLessThanOrEqual(90);
    expect(count(/imports: (\d+)/)).toBeLessThanOrEqual(2);
  },
);
