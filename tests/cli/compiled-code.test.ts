/** What a start keeps of the code that it has compiled. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { keepCompiledCode } from '../../packages/server/src/cli/compiled-code.js';

const folder = mkdtempSync(join(tmpdir(), 'compiled-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a Node that can keep compiled code does so in the state folder, for this user alone', () => {
  const enableCompileCache = vi.fn();
  const stateDir = join(folder, 'new', 'state');
  keepCompiledCode(stateDir, { builtinModules, enableCompileCache });
  expect(enableCompileCache.mock.calls).toEqual([[join(stateDir, 'compiled')]]);
  if (process.platform !== 'win32') expect(statSync(join(stateDir, 'compiled')).mode & 0o777).toBe(0o700);
});

it('a start goes on with a Node that cannot keep compiled code, or where the state folder cannot be written', () => {
  keepCompiledCode(join(folder, 'other'), { builtinModules });
  expect(() => statSync(join(folder, 'other'))).toThrow('ENOENT');
  const enableCompileCache = vi.fn();
  writeFileSync(join(folder, 'file'), '');
  keepCompiledCode(join(folder, 'file'), { builtinModules, enableCompileCache });
  expect(enableCompileCache).not.toHaveBeenCalled();
});
