import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import Value from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Channel, OpenResponse, Reference } from '../../packages/client/src/contract/open.js';
import { FORMATS } from '../../packages/readers/src/formats/index.js';
import { lineScan } from '../support/bruker.js';
import { Cli, MAIN, PACKAGED, SAMPLE } from '../support/cli.js';
import { lineScan as oifLineScan } from '../support/oif.js';
import { writeBruker } from '../writers/bruker.js';
import { writeOib } from '../writers/oif.js';

let cli: Cli;
beforeAll(() => {
  cli = new Cli();
});
afterAll(() => cli.close());

const closed = { additionalProperties: false };
const BareChannel = Type.Object(omit(Channel.properties, 'dataUrl'), closed);
const BareReference = Type.Object({ ...Reference.properties, channels: Type.Array(BareChannel) }, closed);
/** The open response without what belongs to a session. */
const Inspection = Type.Object(
  {
    ...omit(OpenResponse.properties, 'sessionId'),
    channels: Type.Array(BareChannel),
    reference: Type.Union([BareReference, Type.Null()]),
  },
  closed,
);

function omit<T extends object, K extends keyof T>(object: T, key: K): Omit<T, K> {
  const { [key]: _, ...rest } = object;
  return rest;
}

describe('acqstore', () => {
  // The desktop application shows its window.
  it.skipIf(PACKAGED)('prints its help without arguments', async () => {
    const { code, stdout } = await cli.run([]);
    expect(code).toBe(0);
    for (const command of ['serve', 'inspect', 'formats']) expect(stdout).toContain(`  ${command} `);
  });

  it('prints its version', async () => {
    expect(await cli.run(['--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' });
  });

  it
    .skipIf(PACKAGED ?? process.platform === 'win32')
    .each([[['serve', '--help']], [['mcp', '--help']], [['formats']], [['completions', 'bash']]])(
    'ends without a word when nobody reads %j',
    (args) => {
      // The pipe is closed before the program has started.
      const script = '"$@" | true; echo $PIPESTATUS';
      const command = ['-c', script, 'bash', process.execPath, MAIN, ...args];
      const { stdout, stderr } = spawnSync('bash', command, { encoding: 'utf8' });
      expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
    },
  );

  it.each([
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['inspect'], /missing required argument 'path'/],
    [['inspect', SAMPLE, '--scene', 'x'], /"x" is not an index/],
  ])('exits with code 2 for %j', async (args, message) => {
    const { code, stderr } = await cli.run(args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});

describe('acqstore formats', () => {
  it('lists every format', async () => {
    const { code, stdout } = await cli.run(['formats']);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(FORMATS.length + 1);
    expect(stdout).toMatch(/^tiff? .*\.tif .*\.ome\.tif/m);
  });

  it('prints JSON with --json', async () => {
    const { stdout } = await cli.run(['formats', '--json']);
    expect(JSON.parse(stdout)).toEqual(FORMATS.map(({ id, label, extensions }) => ({ id, label, extensions })));
  });
});

describe('acqstore inspect', () => {
  it('describes a folder that is an acquisition, also with a trailing slash', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'acqstore-inspect-'));
    try {
      writeBruker(folder, lineScan());
      const { code, stdout } = await cli.run(['inspect', `${folder}/`]);
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^file +${realpathSync(folder)} \\(2\\.4 KB\\)$`, 'm'));
      expect(stdout).toMatch(/Y +10 +0\.008552 s +file/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('opens a file by its content if its extension is supported', async () => {
    const named = (name: string, bytes: Uint8Array) => {
      const path = join(cli.stateHome, name);
      writeFileSync(path, bytes);
      return path;
    };
    const oib = await cli.run(['inspect', named('really-oib.tif', writeOib(oifLineScan()))]);
    expect(oib.stdout).toMatch(/^format +oib$/m);
    const dat = await cli.run(['inspect', named('really-tif.xyz', readFileSync(SAMPLE))]);
    expect([dat.code, dat.stderr]).toEqual([1, expect.stringMatching(/^acqstore: unsupported_format: /)]);
  });

  it('describes the sample as text', async () => {
    const { code, stdout, stderr } = await cli.run(['inspect', SAMPLE]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^file +\S+vessel-kymograph\.ome\.tif \(\d+ KB\)$/m);
    expect(stdout).toMatch(/^samples +uint16$/m);
    expect(stdout).toMatch(/^recorded +2026-01-15 10:30:00$/m);
    expect(stdout).toMatch(/^ {2}C +2$/m);
    expect(stdout).toMatch(/^ {2}Y +4000 +0\.00117 s +file$/m);
    expect(stdout).toMatch(/^ {2}X +96 +0\.284 µm +file$/m);
    expect(stdout).toMatch(/^channels\n {2}0 {2}Calcium\n {2}1 {2}Vessel$/m);
    expect(stdout).not.toContain('warnings');
  });

  it('prints the response of the API without a session', async () => {
    const { stdout } = await cli.run(['inspect', SAMPLE, '--json']);
    const answer: unknown = JSON.parse(stdout);
    expect(Value.Errors(Inspection, answer)).toEqual([]);
    expect(answer).toMatchObject({
      ok: true,
      apiVersion: 'v2',
      source: { path: SAMPLE, format: 'ome.tif', numChannels: 2 },
      header: { dims: ['C', 'Y', 'X'], shape: [2, 4000, 96] },
      channels: [
        { index: 0, name: 'Calcium', byteLength: 1_536_000 },
        { index: 1, name: 'Vessel', byteLength: 1_536_000 },
      ],
      reference: null,
      warnings: [],
    });
  });

  it('resolves relative paths and fails with the error code of the API', async () => {
    const damaged = join(cli.stateHome, 'damaged.tif');
    writeFileSync(damaged, Buffer.from('II*\0\xff\xff\xff\x7f', 'latin1'));
    for (const [args, message] of [
      [['no/such/file.tif'], /^acqstore: path_not_found: .*no\/such\/file\.tif/],
      [[damaged], /^acqstore: decode_failed: .*damaged\.tif/],
      [[SAMPLE, '--time', '1'], /^acqstore: selection_out_of_range: /],
    ] as const) {
      const { code, stdout, stderr } = await cli.run(['inspect', ...args]);
      expect(stderr).toMatch(message);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect([code, stdout]).toEqual([1, '']);
    }
  });
});
