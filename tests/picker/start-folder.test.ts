import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AcqError } from '../../packages/readers/src/base/errors.js';
import { createPicker } from '../../packages/server/src/picker/index.js';
import type { FindPath } from '../../packages/server/src/picker/types.js';
import { type FakeDialogs, fakeDialogs } from '../support/fake-dialogs.js';
import { findDirectly } from '../support/gate.js';

let dialogs: FakeDialogs;
let state: string;

beforeEach(async () => {
  dialogs = await fakeDialogs();
  state = join(dialogs.folder, 'state');
  mkdirSync(state);
});
afterEach(() => dialogs.stop());

const remember = (folder: string) => writeFileSync(join(state, 'picker.json'), JSON.stringify({ folder }));
const unavailable = () => new AcqError('storage_unavailable', 'it hangs');

/** Shows a dialog that notes its arguments and then does as it is told. */
function pick(find: FindPath, then = 'exit 1') {
  dialogs.program('zenity', `printf '%s\\n' "$@" > ${dialogs.folder}/arguments; ${then}`);
  const picker = createPicker({ find, timeoutSeconds: 20, stateDir: state, env: dialogs.env, platform: 'linux' });
  return picker.pick({ title: 'Open', extensions: ['.tif'], signal: new AbortController().signal });
}

const startedIn = () => /--filename=(.*)/.exec(readFileSync(join(dialogs.folder, 'arguments'), 'utf8'))?.[1];

describe('the dialog', () => {
  it('starts in the last folder', async () => {
    remember(dialogs.folder);
    await pick(findDirectly);
    expect(startedIn()).toBe(`${dialogs.folder}/`);
  });

  it.each(['/nonexistent/acqstore', import.meta.filename])(
    'starts in the home folder when the last one is %s',
    async (folder) => {
      remember(folder);
      await pick(findDirectly);
      expect(startedIn()).toBe(join(dialogs.env['HOME'] ?? homedir(), '/'));
    },
  );

  it('starts in the home folder when the last one is on a drive that does not answer', async () => {
    remember(state);
    await pick(async (path) => {
      if (path === state) throw unavailable();
      return 'folder';
    });
    expect(startedIn()).toBe(join(dialogs.env['HOME'] ?? homedir(), '/'));
  });

  it('reports that the choice is on a drive that does not answer', async () => {
    const picked = pick(async (path) => {
      if (path.endsWith('.tif')) throw unavailable();
      return 'folder';
    }, 'echo /nas/scan.tif');
    await expect(picked).rejects.toMatchObject({ code: 'storage_unavailable' });
  });
});
