import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runtimeFolder } from '../../packages/desktop/src/private-folder.js';
import { claimInstance, type Handover } from '../../packages/desktop/src/single-instance.js';
import { tempFolder } from '../support/temp.js';

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'run-'));
const ignore = () => {};

describe('the first window of a user', () => {
  it('is told of each later start, and its file', async () => {
    const at = folder();
    const seen: Handover[] = [];
    const first = await claimInstance(at, { file: '/first.czi' }, (handover) => seen.push(handover));
    expect(first).toBeDefined();
    expect(await claimInstance(at, {}, ignore)).toBeUndefined();
    expect(await claimInstance(at, { file: '/data/a b.czi' }, ignore)).toBeUndefined();
    expect(seen).toEqual([{}, { file: '/data/a b.czi' }]);
    await first!.release();
  });

  it('leaves nothing behind, and the next start is first', async () => {
    const at = folder();
    for (let i = 0; i < 2; i++) {
      const first = await claimInstance(at, {}, ignore);
      expect(first).toBeDefined();
      await first!.release();
      expect(readdirSync(at)).toEqual([]);
    }
  });

  it('is one of many that start at the same time', async () => {
    const at = folder();
    const seen: Handover[] = [];
    const starts = await Promise.all(
      Array.from({ length: 8 }, (_, i) => claimInstance(at, { file: `/${i}` }, (handover) => seen.push(handover))),
    );
    expect(starts.filter((start) => start !== undefined)).toHaveLength(1);
    expect(seen).toHaveLength(7);
    await starts.find((start) => start !== undefined)!.release();
  });

  it('replaces one that has crashed, and its socket', async () => {
    const at = folder();
    writeFileSync(join(at, 'window-dead.sock'), '');
    writeFileSync(join(at, 'window.json'), JSON.stringify({ socket: join(at, 'window-dead.sock'), token: 'x' }));
    const first = await claimInstance(at, {}, ignore);
    expect(first).toBeDefined();
    expect(existsSync(join(at, 'window-dead.sock'))).toBe(false);
    await first!.release();
    writeFileSync(join(at, 'window.json'), 'not JSON');
    await (await claimInstance(at, {}, ignore))!.release();
  });

  it('does not listen to programs without its token, which only its user can read', async () => {
    const at = folder();
    const seen: Handover[] = [];
    const first = await claimInstance(at, {}, (handover) => seen.push(handover));
    const path = join(at, 'window.json');
    const { socket, token } = JSON.parse(readFileSync(path, 'utf8'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const text of [
      '{"file":"/x"}',
      '{"file":"/x","token":"wrong"}',
      'nonsense',
      `{"token":${JSON.stringify(token.slice(1))}}`,
    ]) {
      expect(await say(socket, `${text}\n`)).toBe('');
    }
    expect(await say(socket, 'x'.repeat(100_000))).toBe('');
    expect(seen).toEqual([]);
    expect(await say(socket, `${JSON.stringify({ token })}\n`)).toBe('ok\n');
    expect(seen).toEqual([{}]);
    await first!.release();
  });

  it('has a socket for a folder with a long path', async () => {
    const at = join(folder(), 'a'.repeat(120));
    mkdirSync(at);
    const first = await claimInstance(at, {}, ignore);
    expect(await claimInstance(at, {}, ignore)).toBeUndefined();
    await first!.release();
  });
});

describe.skipIf(process.platform === 'win32')('the folder of the window', () => {
  it("is in the session's folder when that is private, else in the state folder", () => {
    const [state, session] = [folder(), folder()];
    expect(runtimeFolder(state, { XDG_RUNTIME_DIR: session })).toBe(join(session, 'acquisition-store'));
    expect(statSync(join(session, 'acquisition-store')).mode & 0o777).toBe(0o700);
    chmodSync(session, 0o755);
    expect(runtimeFolder(state, { XDG_RUNTIME_DIR: session })).toBe(join(state, 'desktop'));
    expect(runtimeFolder(state, {})).toBe(join(state, 'desktop'));
  });

  it('is refused when other users can change it', () => {
    const state = folder();
    mkdirSync(join(state, 'desktop'));
    chmodSync(join(state, 'desktop'), 0o777);
    expect(() => runtimeFolder(state, {})).toThrow(/other users can change this folder/);
  });
});

/** Resolves with the answer; the other side may have closed before it has everything. */
function say(socket: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const connection = connect(socket, () => connection.write(text));
    connection.setEncoding('utf8').on('data', (part: string) => {
      answer += part;
    });
    connection.on('error', () => {});
    connection.on('close', () => resolve(answer));
  });
}
