/** The types of `readers.js` are those of the readers. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readersTypes } from '../../packages/viewer/readers-types.js';
import { REPOSITORY } from '../support/cli.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const folder = tempFolder();
const inRepository = (...names: string[]) => JSON.stringify(join(REPOSITORY, ...names));

/** Returns what TypeScript says about a program. */
function check(name: string, text: string, options: object): string {
  writeTemp(folder, `${name}.ts`, text);
  const config = writeTemp(folder, `${name}.json`, JSON.stringify({ ...options, files: [`${name}.ts`] }));
  try {
    const tsc = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
    return execFileSync(process.execPath, [tsc, '--noEmit', '-p', config], { encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

/** A page of somebody else, who has nothing of this repository. */
const ALONE = {
  compilerOptions: {
    ...{ strict: true, module: 'esnext', moduleResolution: 'bundler', target: 'es2022', types: [] },
    lib: ['es2023', 'dom', 'dom.iterable'],
  },
};

describe('readers.d.ts', () => {
  beforeAll(async () => {
    writeTemp(folder, 'readers.d.ts', await readersTypes(join(REPOSITORY, 'packages')));
  });

  it('imports nothing, and describes what a page uses', () => {
    const program = (field: string) => `
      import { type Acquisition, AcqError, openFiles } from './readers.js';
      const acquisition: Acquisition = await openFiles([new File([], 'a.tif')], { selection: { T: 1 } });
      const name: string = acquisition.info.channels[0]!.${field};
      const unit: string = acquisition.info.plane.axes[0]!.unit;
      const samples: Float32Array = await acquisition.plane(0, { onProgress: ({ received }) => received + 1 });
      const value: Uint8Array | undefined = await acquisition.store({ version: '0.4' }).get('/.zattrs');
      export const all = [name, unit, samples, value, (error: unknown) => error instanceof AcqError && error.code];`;
    expect(check('alone', program('name'), ALONE)).toBe('');
    expect(check('wrong', program('nothing'), ALONE)).toContain("Property 'nothing' does not exist");
  });

  it('agrees with the readers', () => {
    const program = `
      import * as real from ${inRepository('packages', 'viewer', 'src', 'engine', 'open-files.ts')};
      import type * as described from './readers.js';
      type Real = Awaited<ReturnType<typeof real.openFiles>>;
      type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
      type Methods = Pick<Real, keyof described.Acquisition & keyof Real>;
      export const openFiles: typeof described.openFiles = real.openFiles;
      export const hasAll: Same<keyof described.Acquisition, keyof Methods> = true;
      export const info = (opened: described.OpenResponse): Real['info'] => opened;
      export const metadata = (listed: described.VendorMetadata): Awaited<ReturnType<Real['metadata']>> => listed;
      export const error = (thrown: real.AcqError): Pick<described.AcqError, 'code' | 'hint' | 'message'> => thrown;`;
    const options = {
      extends: join(REPOSITORY, 'packages', 'viewer', 'tsconfig.json'),
      compilerOptions: { rootDir: '/', types: [join(REPOSITORY, 'node_modules', 'vite', 'client')] },
      include: [],
    };
    expect(check('beside', program, options)).toBe('');
  });
});
