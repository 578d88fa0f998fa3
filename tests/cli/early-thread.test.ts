import { availableParallelism } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { Cli, PACKAGED } from '../support/cli.js';

/** Says on standard error that a thread starts. */
const TELL = `process.on('worker', () => process.stderr.write('THREAD '))`;
const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(TELL)}` };
const cli = new Cli();
afterAll(() => cli.close());

const threadsIn = (text: string) => text.split('THREAD').length - 1;

// The packaged program ignores NODE_OPTIONS, and a single core has no thread to spare.
describe.skipIf(PACKAGED !== undefined || availableParallelism() < 2)('the thread of the first worker', () => {
  it('starts before the settings are read', async () => {
    const { code, stderr } = await cli.run(['serve', '--config', 'missing.json'], env);
    expect(code).toBe(2);
    expect(threadsIn(stderr)).toBe(1);
  });

  it('is the one that the server uses, beside the one that looks up paths', async () => {
    const running = await cli.serve(['--workers', '1'], env);
    running.child.kill('SIGTERM');
    const { code, stderr } = await running.ended;
    expect(code).toBe(0);
    expect(threadsIn(stderr)).toBe(2);
  });

  it('starts for no other command', async () => {
    const { stderr } = await cli.run(['status'], env);
    expect(threadsIn(stderr)).toBe(0);
  });
});
