import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Cli, REPOSITORY, SAMPLE } from '../support/cli.js';

const page = readFileSync(join(REPOSITORY, 'docs/tutorial.md'), 'utf8');
const block = (language: string, containing: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
    .map(([, text]) => text as string)
    .find((text) => text.includes(containing));
const cli = new Cli();
afterAll(() => cli.close());

it('the tutorial shows what inspect prints about the sample', async () => {
  const { stdout } = await cli.run(['inspect', SAMPLE]);
  expect(stdout.replace(dirname(dirname(SAMPLE)), '/home/you/acquisition-store')).toBe(block('text', 'recorded'));
});

it('the tutorial shows the parts of an open response that its program uses', async () => {
  interface Response {
    plane: { shape: number[]; axes: object[] };
    channels: { index: number; name: string; byteLength: number; dataUrl?: string }[];
    warnings: string[];
    sessionId?: string;
  }
  const real = JSON.parse((await cli.run(['inspect', '--json', SAMPLE])).stdout) as Response;
  const { sessionId, ...shown } = JSON.parse(block('json', 'axes') ?? '') as Response;
  expect(sessionId).toBe('…');
  expect(shown).toEqual({
    plane: { shape: real.plane.shape, axes: real.plane.axes },
    channels: real.channels.map((channel) => ({
      ...channel,
      dataUrl: `/api/v2/sessions/…/channels/${channel.index}/data`,
    })),
    warnings: real.warnings,
  });
});
