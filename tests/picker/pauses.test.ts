/** Dialogs that pages without an address ask for, over HTTP, with dialog programs that are scripts. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultOptions } from '../../packages/server/src/options.js';
import { createPicker } from '../../packages/server/src/picker/index.js';
import { dialogPauses } from '../../packages/server/src/picker/pauses.js';
import { listen, type RunningServer } from '../../packages/server/src/server/listen.js';
import { until } from '../support/desktop.js';
import { type FakeDialogs, fakeDialogs } from '../support/fake-dialogs.js';
import { fakeSessions } from '../support/fake-sessions.js';
import { findDirectly } from '../support/gate.js';
import { testDependencies } from '../support/test-app.js';

let dialogs: FakeDialogs;
let server: RunningServer;
let logged: Record<string, unknown>[];
/** Seconds by which the clock of the server is ahead. */
let ahead = 0;

beforeEach(async () => {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead * 1000);
  dialogs = await fakeDialogs();
  server = await serve(60);
});
afterEach(async () => {
  await server.close();
  dialogs.stop();
  vi.restoreAllMocks();
});

async function serve(timeoutSeconds: number): Promise<RunningServer> {
  logged = [];
  const logger = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) });
  const { env, folder } = dialogs;
  const stateDir = join(folder, 'state');
  const picker = createPicker({ find: findDirectly, timeoutSeconds, stateDir, env, platform: 'linux', logger });
  const options = { ...defaultOptions(), port: 0 };
  return listen(options, { ...testDependencies(), sessions: fakeSessions(), picker, logger });
}

interface Answer {
  status: number;
  error: string | undefined;
  message: string;
  retryAfter: string | null;
}

async function ask(origin: string | null = 'null', body: object = {}, signal?: AbortSignal): Promise<Answer> {
  const response = await fetch(`${server.url}/api/v2/pick-and-open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(origin === null ? {} : { origin }) },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  const { error, message } = (await response.json()) as { error?: string; message: string };
  return { status: response.status, error, message, retryAfter: response.headers.get('retry-after') };
}

/** Dialogs that were shown. */
const shown = () => {
  const file = join(dialogs.folder, 'shown');
  return existsSync(file) ? readFileSync(file, 'utf8').length : 0;
};
const COUNT = () => `printf x >> ${dialogs.folder}/shown`;
const cancels = () => dialogs.program('zenity', `${COUNT()}; exit 1`);
const chooses = () => {
  const path = join(dialogs.folder, 'a.tif');
  writeFileSync(path, 'II*');
  dialogs.program('zenity', `${COUNT()}; echo ${path}`);
};

describe('a page without an origin', () => {
  it('must wait 5 s after a closed dialog, then twice as long each time, at most 5 minutes', async () => {
    cancels();
    for (const [i, seconds] of [5, 10, 20, 40, 80, 160, 300, 300].entries()) {
      expect(await ask()).toMatchObject({ status: 200, error: 'cancelled' });
      expect(shown()).toBe(i + 1);
      const refused = await ask();
      expect(refused).toMatchObject({ status: 409, error: 'picker_busy', retryAfter: String(seconds) });
      expect(refused.message).toContain(`Try again in ${seconds} s`);
      ahead += seconds - 2;
      expect(await ask()).toMatchObject({ status: 409, retryAfter: '2' });
      expect(shown()).toBe(i + 1);
      ahead += 2;
    }
  });

  it('can open a dialog at once after a choice', async () => {
    cancels();
    await ask();
    ahead += 5;
    await ask();
    ahead += 10;
    chooses();
    expect(await ask()).toMatchObject({ status: 200, error: undefined });
    cancels();
    expect(await ask()).toMatchObject({ error: 'cancelled' });
    expect(await ask()).toMatchObject({ error: 'picker_busy', retryAfter: '5' });
  });

  it('must also wait after it disconnects, after the time limit, and after a crashed dialog', async () => {
    dialogs.program('zenity', `${COUNT()}; exec sleep 60`);
    const client = new AbortController();
    const left = ask('null', {}, client.signal);
    left.catch(() => {});
    await until('the dialog', () => shown() === 1);
    client.abort();
    await expect(left).rejects.toThrow();
    await vi.waitFor(async () => expect(await ask()).toMatchObject({ retryAfter: '5' }), { timeout: 5_000 });

    await server.close();
    server = await serve(0.2);
    expect(await ask()).toMatchObject({
      error: 'cancelled',
      message: expect.stringContaining('closed after its time limit'),
    });
    expect(await ask()).toMatchObject({ error: 'picker_busy', retryAfter: '5' });

    await server.close();
    server = await serve(60);
    dialogs.program('zenity', 'kill -SEGV $$');
    expect(await ask()).toMatchObject({ status: 501, error: 'picker_unavailable' });
    expect(await ask()).toMatchObject({ error: 'picker_busy', retryAfter: '5' });
  });

  it('need not wait when no dialog can be shown', async () => {
    for (let i = 0; i < 3; i++) {
      const answer = await ask();
      expect(answer).toMatchObject({ status: 501, error: 'picker_unavailable', retryAfter: null });
      expect(answer.message).toContain('Install zenity or kdialog');
    }
    cancels();
    expect(await ask()).toMatchObject({ error: 'cancelled' });
    expect(await ask()).toMatchObject({ error: 'picker_busy', retryAfter: '5' });
  });

  it('does not make other callers wait', async () => {
    cancels();
    await ask();
    expect(await ask()).toMatchObject({ error: 'picker_busy' });
    for (const origin of [null, server.url, 'http://localhost:1234']) {
      for (let i = 0; i < 3; i++) expect(await ask(origin)).toMatchObject({ error: 'cancelled' });
    }
    expect(await ask()).toMatchObject({ error: 'picker_busy' });
  });

  it('need not wait after the dialog of another caller', async () => {
    dialogs.program('zenity', `${COUNT()}; while [ ! -e ${dialogs.folder}/close ]; do sleep 0.05; done; exit 1`);
    const own = ask(server.url);
    await until('the dialog', () => shown() === 1);
    expect(await ask()).toMatchObject({ error: 'picker_busy', message: expect.stringContaining('already open') });
    writeFileSync(join(dialogs.folder, 'close'), '');
    expect(await own).toMatchObject({ error: 'cancelled' });
    expect(await ask()).toMatchObject({ error: 'cancelled' });
  });

  it('starts with 5 s again after half an hour', () => {
    let now = 0;
    const pauses = dialogPauses(() => now);
    for (let i = 0; i < 8; i++) pauses.extend();
    now += 300_000;
    pauses.check();
    now += 1_800_001;
    pauses.extend();
    expect(() => pauses.check()).toThrow('in 5 s');
  });
});

describe('a dialog that crashes', () => {
  it('is distinguished from a closed one and logged', async () => {
    dialogs.program('zenity', 'echo "malloc(): corrupted top size" >&2; kill -SEGV $$');
    const answer = await ask(null);
    expect([answer.status, answer.error]).toEqual([501, 'picker_unavailable']);
    expect(answer.message).toContain('The file dialog failed before anything was chosen');
    expect(answer.message).toContain('zenity: ended by SIGSEGV: malloc(): corrupted top size');
    expect(logged).toContainEqual(
      expect.objectContaining({
        level: 40,
        dialog: 'zenity',
        why: 'ended by SIGSEGV: malloc(): corrupted top size',
        msg: 'a file dialog failed',
      }),
    );

    dialogs.program('zenity', 'echo "Gtk-WARNING **: theme" >&2; exit 1');
    expect(await ask(null)).toMatchObject({ status: 200, error: 'cancelled', message: 'No file was chosen.' });
    expect(logged).toContainEqual(
      expect.objectContaining({
        level: 30,
        dialog: 'zenity',
        printed: 'Gtk-WARNING **: theme',
        msg: 'the user cancelled the file dialog',
      }),
    );
  });
});

describe('a request that is invalid for any file', () => {
  it.each([
    [{ channelIndices: [] }, 'invalid_channel_indices'],
    [{ channelIndices: [0, 0] }, 'invalid_channel_indices'],
    [{ channelIndices: [-1] }, 'invalid_channel_indices'],
    [{ selection: { Z: -1 } }, 'selection_out_of_range'],
    [{ calibration: { X: { step: 0, unit: 'micrometer' } } }, 'request_validation_failed'],
  ])('is refused before a dialog is shown: %j', async (body, error) => {
    chooses();
    for (const origin of ['null', null]) expect(await ask(origin, body)).toMatchObject({ status: 422, error });
    expect(shown()).toBe(0);
  });
});
