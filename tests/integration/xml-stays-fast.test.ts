/** Garbage collections between opens, as large planes cause them, must not make the XML parser start over. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { countingPage, description } from '../support/tiff-cases.js';
import { writeCzi } from '../writers/czi.js';
import { cziXml, stack } from '../writers/czi-kinds.js';
import { writeOir } from '../writers/oir.js';
import { lineScan } from '../writers/oir-kinds.js';
import { omeXml } from '../writers/ome.js';
import { writeTiff } from '../writers/tiff.js';

const root = tempFolder();

/** Describes an image with settings that fill some 100 KB. */
function manySettings(): string {
  const settings = Array.from(
    { length: 1_000 },
    (_, i) => `<Setting Id="${i}" Name="Laser"><Value>${i}</Value></Setting>`,
  );
  return `<Settings>${settings.join('')}</Settings>`;
}

/** Runs `script` with `parseXml`, `openAcquisition`, `SaxesParser` and `collect` (a full collection); returns its trace. */
function traceOf(script: string): string[] {
  const dist = (path: string) => JSON.stringify(pathToFileURL(join(REPOSITORY, 'packages/server/dist', path)).href);
  const source = `import { createRequire } from 'node:module';
    import { openAcquisition } from ${dist('index.js')};
    const { SaxesParser } = createRequire(${JSON.stringify(`${REPOSITORY}/`)})('saxes');
    // V8 keeps hidden classes without instances for two collections.
    const collect = () => { for (let i = 0; i < 3; i++) globalThis.gc(); };
    ${script}`;
  const args = ['--expose-gc', '--trace-deopt', '--input-type=module', '--eval', source];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n');
}

/** Functions of the parser whose optimized code was dropped because a hidden class no longer exists. */
const forgotten = (trace: string[]) =>
  trace.filter((line) => /weak objects/.test(line) && /SharedFunctionInfo s[A-Z]/.test(line));

it('a CZI opened after 20 OME-TIFF and OIR files is parsed by the code that was optimized for them', () => {
  const ome = omeXml({ images: [{ sizes: { X: 4, Y: 3 }, children: ['<TiffData/>', manySettings()] }] });
  const tiff = writeTemp(root, 'a.ome.tif', writeTiff({ pages: [countingPage(0, [description(ome)])] }));
  const oir = writeTemp(root, 'a.oir', writeOir(lineScan(8, 8, 8)));
  const czi = writeTemp(root, 'a.czi', writeCzi({ ...stack(1, 1), xml: cziXml({ more: manySettings() }) }));
  const files = [...Array.from({ length: 10 }, () => [tiff, oir]).flat(), czi];
  const trace = traceOf(`for (const file of ${JSON.stringify(files)}) {
    (await openAcquisition(file)).close();
    collect();
  }`);
  expect(forgotten(trace)).toEqual([]);
});

it('a parser for each document loses its code', () => {
  const xml = JSON.stringify(manySettings());
  const trace = traceOf(`for (let i = 0; i < 20; i++) {
    new SaxesParser().write(${xml}).close();
    collect();
  }`);
  expect(forgotten(trace).length).toBeGreaterThan(0);
});
