/** `acqstore serve` and `createServer` refuse the same settings, in the same words after the name of the setting. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AcqError, createServer } from '../../packages/server/src/index.js';
import type { ServerOptions } from '../../packages/server/src/options.js';
import { Cli } from '../support/cli.js';
import { some } from '../support/long.js';
import { tempFolder } from '../support/temp.js';

const folder = tempFolder();
const file = join(folder, 'file');
writeFileSync(file, '');
const missing = join(folder, 'missing');

type Row = [what: string, flags: string[], options: Partial<ServerOptions>, message: string];

const ROWS: Row[] = [
  [
    'other computers without token and root',
    ['--host', '0.0.0.0'],
    { host: '0.0.0.0' },
    'requires --token or --tokens-file and --root DIR',
  ],
  ['other computers without root', ['--host', '::', '--token', 't'], { host: '::', token: 't' }, 'requires --root DIR'],
  ['a root that does not exist', ['--root', missing], { roots: [missing] }, `--root ${missing}: ENOENT`],
  ['a root that is a file', ['--root', file], { roots: [file] }, `--root ${file}: the path is not a folder`],
  ['a port that browsers refuse', ['--port', '6000'], { port: 6000 }, 'port: browsers refuse to connect to port 6000'],
  ['a port out of range', ['--port', '70000'], { port: 70_000 }, 'port: must be at most 65535 (got 70000)'],
  [
    'a store without a token',
    ['--session-store', 'redis://127.0.0.1:1'],
    { sessionStore: 'redis://127.0.0.1:1' },
    '--session-store requires --token',
  ],
  [
    'a network that is none',
    ['--trust-proxy', '10.0.0.0/99'],
    { trustProxies: ['10.0.0.0/99'] },
    '--trust-proxy 10.0.0.0/99: must be an address',
  ],
  [
    'an unknown extension',
    ['--allow-ext', '.docx'],
    { allowExtensions: ['.docx'] },
    '--allow-ext .docx: not the extension of a supported format',
  ],
  [
    'an origin with a path',
    ['--allow-origin', 'https://a.example/x'],
    { allowOrigins: ['https://a.example/x'] },
    'must be an origin without a path',
  ],
  ['no time for an open', ['--open-timeout', '0'], { openTimeoutSeconds: 0 }, 'must be greater than 0 (got 0)'],
];

describe('settings that are refused', () => {
  const cli = new Cli();
  afterAll(() => cli.close());

  it.each(some(ROWS, 4))('by both: %s', async (_what, flags, options, message) => {
    const ended = cli.run(['serve', ...(flags.includes('--port') ? [] : ['--port', '0']), ...flags]);
    const thrown = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder, ...options }).then(
      (server) => server.close(),
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(AcqError);
    expect(thrown).toMatchObject({ code: 'request_validation_failed', message: expect.stringContaining(message) });
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^acqstore: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });
});

describe('messages of failures', () => {
  const cli = new Cli();
  afterAll(() => cli.close());

  const commands: [args: string[], code: number][] = [
    [['nonsense'], 2],
    [['serve', '--nonsense'], 2],
    [['serve', '--port', 'abc'], 2],
    [['serve', '--port'], 2],
    [['serve', '--config', missing], 2],
    [['status', '--nonsense'], 2],
    [['status', '--port', 'abc'], 2],
    [['stop', '--port', 'abc'], 2],
    [['stop', '--timeout', 'x'], 2],
    [['token'], 2],
    [['token', ''], 2],
    [['token', 'me', '--expires', 'never'], 2],
    [['inspect'], 2],
    [['inspect', missing], 1],
    [['inspect', '--shard', '9/3', file], 2],
    [['export', '--to', 'png', missing], 1],
    [['export', '--to', 'nonsense', file], 2],
    [['export', file], 2],
    [['formats', '--nonsense'], 2],
    [['conformance'], 2],
    [['conformance', 'http://127.0.0.1:1'], 1],
    [['completions', 'nonsense'], 2],
  ];

  it.each(some(commands, 4))('begin alike: %j', async (args, expected) => {
    const { code, stderr } = await cli.run(args);
    expect([code, stderr]).toEqual([expected, expect.stringMatching(/^acqstore: \S/)]);
    expect(stderr).not.toMatch(/^acqstore: (error|serve|stop|token):/);
  });
});
