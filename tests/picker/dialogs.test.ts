import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPicker } from '../../packages/server/src/picker/index.js';
import type { Picker, PickKind, PickResult } from '../../packages/server/src/picker/types.js';
import { type Desktop, describeWithPrograms, startDesktop } from '../support/desktop.js';
import { choosePath, DIALOGS } from '../support/dialogs.js';
import { findDirectly } from '../support/gate.js';

const TITLE = 'Open for µ.lab.example';

for (const kind of DIALOGS) {
  describeWithPrograms(`${kind.name} on a real screen`, ['Xvfb', 'openbox', 'xdotool', ...kind.programs], () => {
    let desktop: Desktop;
    let picker: Picker;
    let client: AbortController;
    let open: Promise<unknown>[];
    let data: string;

    beforeAll(async () => {
      desktop = await startDesktop({ withBus: kind.withBus });
      data = join(desktop.folder, 'data µ');
      mkdirSync(data);
      mkdirSync(join(desktop.folder, 'scan.ome.zarr'));
      writeFileSync(join(data, 'second.tif'), 'II*');
      writeFileSync(join(desktop.folder, 'scan.ome.zarr', 'zarr.json'), '{}');
    });

    beforeEach(() => {
      picker = pickerOf(60);
      client = new AbortController();
      open = [];
    });

    afterEach(async () => {
      client.abort();
      await Promise.allSettled(open);
    });

    afterAll(async () => {
      await desktop.stop();
      expect(desktop.processes()).toEqual([]);
    });

    const pickerOf = (timeoutSeconds: number) =>
      createPicker({
        find: findDirectly,
        timeoutSeconds,
        stateDir: join(desktop.folder, 'state'),
        // Without a UTF-8 locale the programs would lose the µ of the title and of the folder.
        env: { ...desktop.env, XDG_CURRENT_DESKTOP: kind.desktopName, LANG: 'C', LC_ALL: 'C' },
        platform: 'linux',
      });
    const pick = (by = picker, what: PickKind = 'file') => {
      const request = { title: TITLE, kind: what, extensions: ['.ome.tif', '.tif'], signal: client.signal };
      const result = by.pick(request);
      open.push(result);
      return result;
    };
    const expectGone = () => {
      expect(desktop.windows(TITLE)).toEqual([]);
      expect(desktop.processes().map(({ command }) => command)).not.toContain(kind.process);
    };

    const choose = (path: string, result: Promise<PickResult>) => choosePath(desktop, TITLE, kind, path, result);

    it('returns a chosen file with any name and remembers its folder', async () => {
      const path = join(desktop.folder, kind.oddName);
      writeFileSync(path, 'II*');
      expect(await choose(path, pick())).toEqual({ status: 'ok', path });
      const state = join(desktop.folder, 'state', 'picker.json');
      expect(JSON.parse(readFileSync(state, 'utf8'))).toEqual({ folder: desktop.folder });
      expect(statSync(state).mode & 0o777).toBe(0o600);
      await expectSoon(expectGone);
    });

    it('returns the store when its metadata file is chosen', async () => {
      const path = join(desktop.folder, 'scan.ome.zarr');
      expect(await choose(join(path, 'zarr.json'), pick())).toEqual({ status: 'ok', path });
    });

    // Without the integration of Plasma, kdialog shows the dialog of plain Qt, which cannot choose a folder.
    it.skipIf(kind.name === 'kdialog' && !hasPlasmaDialogs())('returns a chosen folder', async () => {
      const path = join(desktop.folder, 'scan µ 1');
      mkdirSync(path, { recursive: true });
      // A key that comes before the field for a path is there confirms the folder that the dialog shows.
      let chosen: unknown;
      for (let attempt = 0; attempt < 4; attempt++) {
        chosen = await choose(path, pick(picker, 'folder'));
        if ((chosen as { path?: string }).path === path) break;
      }
      expect(chosen).toEqual({ status: 'ok', path });
      const state = join(desktop.folder, 'state', 'picker.json');
      expect(JSON.parse(readFileSync(state, 'utf8'))).toEqual({ folder: desktop.folder });
      await expectSoon(expectGone);
    });

    it('reports that the user closed the dialog for folders', async () => {
      const result = pick(picker, 'folder');
      await desktop.focus(TITLE);
      desktop.keys('Escape');
      expect(await result).toEqual({ status: 'cancelled', reason: 'user' });
      await expectSoon(expectGone);
    });

    it('reports that the user closed the dialog', async () => {
      const result = pick();
      await desktop.focus(TITLE);
      desktop.keys('Escape');
      expect(await result).toEqual({ status: 'cancelled', reason: 'user' });
      await expectSoon(expectGone);
    });

    it('shows one dialog at a time', async () => {
      const first = pick();
      await desktop.focus(TITLE);
      await expect(pick()).rejects.toMatchObject({ code: 'picker_busy' });
      expect(desktop.windows(TITLE)).toHaveLength(1);
      desktop.keys('Escape');
      await first;
    });

    it('closes when the client disconnects, and can be opened again', async () => {
      const result = pick();
      await desktop.focus(TITLE);
      client.abort();
      expect(await result).toEqual({ status: 'cancelled', reason: 'disconnected' });
      await expectSoon(expectGone);
      client = new AbortController();
      const again = pick();
      await desktop.focus(TITLE);
      desktop.keys('Escape');
      expect(await again).toEqual({ status: 'cancelled', reason: 'user' });
    });

    it('closes at its time limit', async () => {
      for (const seconds of [2, 10]) {
        const result = pick(pickerOf(seconds));
        // On a busy machine the first time may be over before the window is there.
        const seen = await Promise.race([desktop.focus(TITLE).then(() => true), result.then(() => false)]);
        expect(await result).toEqual({ status: 'cancelled', reason: 'timeout' });
        await expectSoon(expectGone);
        if (seen) return;
      }
      expect.unreachable('the dialog was never seen');
    });

    if (kind.name !== 'desktop portal') {
      it('starts in the last folder', async () => {
        writeFileSync(join(desktop.folder, 'state', 'picker.json'), JSON.stringify({ folder: data }));
        const path = join(data, 'second.tif');
        expect(await choose('second.tif', pick())).toEqual({ status: 'ok', path });
      });
    }
  });
}

function hasPlasmaDialogs(): boolean {
  const name = 'qt5/plugins/platformthemes/KDEPlasmaPlatformTheme.so';
  return ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu'].some((folder) => existsSync(join(folder, name)));
}

/** A window that its program has closed may take a moment to leave the screen. */
async function expectSoon(check: () => void): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      return check();
    } catch {
      await sleep(100);
    }
  }
  check();
}
