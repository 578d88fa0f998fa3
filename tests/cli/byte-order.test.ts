/** A big-endian computer is refused at the start, by the command line and by the library. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { MAIN, REPOSITORY, SAMPLE } from '../support/cli.js';

const MESSAGE =
  'This computer is big-endian, which is not supported. Use a little-endian computer, for example x86-64 or ARM64.';

/** The bytes of its numbers are in the other order. */
const PRELOAD = 'Uint16Array.of = (...values) => Uint16Array.from(values, (value) => value << 8);';

function runOnBigEndian(args: string[]) {
  const preload = `data:text/javascript,${encodeURIComponent(PRELOAD)}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', preload, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

it.each([['serve', '--port', '0'], ['inspect', SAMPLE], ['formats']])(
  'acqstore %s exits with code 1 and names the byte order',
  (...args) => {
    expect(runOnBigEndian([MAIN, ...args])).toEqual({
      status: 1,
      stdout: '',
      stderr: `acqstore: unsupported_format: ${MESSAGE}\n`,
    });
  },
);

it.each(['createServer({ port: 0 })', `openAcquisition(${JSON.stringify(SAMPLE)})`])('%s rejects', (call) => {
  const library = pathToFileURL(join(REPOSITORY, 'packages/server/dist/index.js')).href;
  const script = `const { createServer, openAcquisition } = await import(${JSON.stringify(library)});
    await ${call}.catch(({ code, message }) => console.log(code + ': ' + message));`;
  const { status, stdout } = runOnBigEndian(['--input-type=module', '--eval', script]);
  expect([status, stdout]).toEqual([0, `unsupported_format: ${MESSAGE}\n`]);
});
