/** How `acqstore mcp` finds a server, keeps sessions, and ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import type { SessionList } from '../../packages/server/src/index.js';
import { Cli, MAIN, SAMPLE } from '../support/cli.js';
import { startAssistant } from '../support/mcp.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { withoutPackage } from '../support/without-package.js';

const cli = new Cli();
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await cli.close();
});

/** Starts a server whose sessions the test can list. */
async function startServer(
  stateHome: string,
  ...args: string[]
): Promise<{ list: () => Promise<SessionList>; stop: () => void }> {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith('ACQSTORE_'));
  const server = spawn(
    process.execPath,
    [MAIN, 'serve', '--port', '0', '--cold-start', '--control-with-stdin', ...args],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...Object.fromEntries(clean), XDG_STATE_HOME: stateHome },
    },
  );
  children.push(server);
  const answers = createInterface({ input: server.stdout! })[Symbol.asyncIterator]();
  for await (const line of createInterface({ input: server.stderr! })) if (line.includes('"started"')) break;
  server.stderr!.resume();
  const list = async () => {
    server.stdin!.write('{"id": 1, "method": "sessions"}\n');
    return JSON.parse((await answers.next()).value as string) as SessionList;
  };
  return { list, stop: () => server.kill('SIGKILL') };
}

/** Waits until the sessions are as expected. */
async function until(list: () => Promise<SessionList>, isRight: (sessions: SessionList['sessions']) => boolean) {
  for (;;) {
    const { sessions } = await list();
    if (isRight(sessions)) return sessions;
    await new Promise((next) => setTimeout(next, 50));
  }
}

/** Starts the command without the SDK, and opens the sample. */
async function speak(
  stateHome: string,
): Promise<{ child: ChildProcess; ended: Promise<number | null>; lines: string[] }> {
  const child = spawn(process.execPath, [MAIN, 'mcp'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ACQSTORE_COLD_START: '1', XDG_STATE_HOME: stateHome },
  });
  children.push(child);
  child.stdin!.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const lines: string[] = [];
  const send = (message: object) => child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  send({ id: 1, method: 'initialize', params });
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'open', arguments: { path: SAMPLE } } });
  const output = createInterface({ input: child.stdout! });
  await new Promise<void>((resolve) => {
    output.on('line', (line) => {
      lines.push(line);
      if (line.includes('"id":2')) resolve();
    });
  });
  return { child, ended, lines };
}

describe('the sessions of an assistant', () => {
  it('are renewed before they expire, and end with it', async () => {
    const home = tempFolder();
    const { list } = await startServer(home, '--session-ttl', '3');
    const assistant = await startAssistant(home);
    await assistant.ask('open', { path: SAMPLE });
    const [{ expiresAt } = { expiresAt: Number.POSITIVE_INFINITY }] = (await list()).sessions;
    await until(list, ([session]) => session !== undefined && session.expiresAt > expiresAt + 3_000);
    await assistant.ask('inspect', { path: SAMPLE });
    expect((await list()).sessions).toHaveLength(1);
    await assistant.client.close();
    await until(list, (sessions) => sessions.length === 0);
  });

  it.each([
    ['closes standard input', (child: ChildProcess) => child.stdin!.destroy()],
    [
      'no longer reads standard output',
      (child: ChildProcess) => {
        child.stdout!.destroy();
        child.stdin!.write('{"jsonrpc": "2.0", "id": 3, "method": "tools/list"}\n');
      },
    ],
    ['ends it by a signal', (child: ChildProcess) => child.kill('SIGTERM')],
    ['sends a message without an end', (child: ChildProcess) => child.stdin!.write('x'.repeat(3 * 2 ** 20))],
  ])('are deleted, and the command ends, when the client %s', async (_, leave) => {
    const home = tempFolder();
    const { list, stop } = await startServer(home);
    const { child, ended, lines } = await speak(home);
    expect((await list()).sessions).toHaveLength(1);
    leave(child);
    expect(await ended).toBe(0);
    expect((await list()).sessions).toEqual([]);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    stop();
  });

  it('that the server has lost are said to be closed, and open again', async () => {
    const home = tempFolder();
    const first = await startServer(home);
    const assistant = await startAssistant(home);
    const input = { ...(await assistant.ask('open', { path: SAMPLE })), channelIndex: 0 };
    const { acquisition } = input as unknown as { acquisition: string };
    first.stop();
    const call = () => assistant.call('statistics', { acquisition, channelIndex: 0 });
    expect((await call()).data).toMatchObject({ ok: false, error: 'server_unreachable' });
    // Now a server of its own answers, which does not know the session.
    expect((await call()).data).toMatchObject({ ok: false, error: 'acquisition_not_open' });
    expect(await assistant.ask('open', { path: SAMPLE })).toMatchObject({ acquisition: 'a2' });
    expect(assistant.log()).toContain('listening');
    await assistant.client.close();
  });
});

describe('the command', () => {
  it('asks which server to use when several are running, and takes the one at --port', async () => {
    const servers = [await cli.serve(), await cli.serve()];
    const { code, stderr } = await cli.run(['mcp']);
    const ports = servers.map(({ port }) => port).sort((a, b) => a - b);
    expect([code, stderr]).toEqual([
      2,
      `acqstore: 2 servers are running, at ports ${ports.join(', ')}. Add --port PORT.\n`,
    ]);
    const assistant = await startAssistant(cli.stateHome, ['--port', String(ports[1])]);
    expect(await assistant.ask('open', { path: SAMPLE })).toMatchObject({ acquisition: 'a1' });
    expect(assistant.log()).toBe('');
    await assistant.client.close();
    for (const server of servers) await server.interrupt();
  });

  it('refuses options that contradict each other or name nothing, in one sentence', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'there'));
    const refused: [args: string[], env: NodeJS.ProcessEnv, message: RegExp][] = [
      [['--port', '9', '--root', folder], {}, /^acqstore: --port 9: the running server has its own roots\. .*\n$/],
      [['--port', '9'], { ACQSTORE_ROOT: folder }, /^acqstore: --port 9: the running server has its own roots\. .*\n$/],
      [['--port', '9'], {}, /^acqstore: No server is running at port 9\. Start it, or remove --port\.\n$/],
      [['--export-folder', join(folder, 'missing')], {}, /^acqstore: --export-folder .*missing: ENOENT.*\n$/],
      [['--root', join(folder, 'missing')], {}, /^acqstore: --root .*missing: ENOENT.*\n$/],
      [
        [],
        withoutPackage('@modelcontextprotocol/sdk/server/index.js'),
        /^acqstore: mcp requires the package .*npm install @modelcontextprotocol\/sdk@1\n$/,
      ],
    ];
    for (const [args, env, message] of refused) {
      const { code, stdout, stderr } = await cli.run(['mcp', ...args], env);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(message);
    }
  });

  it('is a client like others: it sends the token in ACQSTORE_TOKEN, and its opens are in the audit log', async () => {
    const folder = tempFolder();
    const log = join(folder, 'audit.jsonl');
    const { stdout, stderr } = await cli.run(['token', 'robot-7', '--root', dirname(SAMPLE)]);
    const tokens = writeTemp(folder, 'tokens.jsonl', stdout);
    chmodSync(tokens, 0o600);
    const token = stderr.trim().split('\n').at(-1) as string;
    const server = await cli.serve(['--tokens-file', tokens, '--audit-log', log]);
    const stranger = await startAssistant(cli.stateHome);
    expect((await stranger.call('open', { path: SAMPLE })).data).toMatchObject({ error: 'unauthorized' });
    const robot = await startAssistant(cli.stateHome, [], { ACQSTORE_TOKEN: token });
    await robot.ask('open', { path: SAMPLE });
    const other = writeTemp(folder, 'other.tif', '');
    expect((await robot.call('open', { path: other })).data).toMatchObject({ error: 'path_not_allowed' });
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    const opened = lines.find((line) => line.includes('"open"') && line.includes(basename(SAMPLE)));
    expect(opened, lines.join('\n')).toContain('robot-7');
    for (const { client } of [stranger, robot]) await client.close();
    await server.interrupt();
  });

  it('starts a server of its own where ACQSTORE_ROOT confines it, although one without roots is running', async () => {
    const server = await cli.serve();
    const folder = tempFolder();
    const assistant = await startAssistant(cli.stateHome, [], { ACQSTORE_ROOT: folder });
    expect((await assistant.call('open', { path: SAMPLE })).data).toMatchObject({ error: 'path_not_allowed' });
    await assistant.client.close();
    await server.interrupt();
  });
});
