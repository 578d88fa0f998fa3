/** Files outside the folders of the settings. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { likelyFolders, locate } from '../../packages/desktop/src/supervisor/locate.js';
import { findOutside } from '../../packages/desktop/src/supervisor/roots.js';
import { SAMPLE } from '../support/cli.js';
import { Desk, freePort } from '../support/supervisor.js';
import { tempFolder } from '../support/temp.js';

const folder = tempFolder();
const lab = join(folder, 'lab');
const outside = join(folder, 'out side');
const file = join(outside, 'scan.ome.tif');
for (const each of [lab, outside, join(folder, 'lab-2')]) mkdirSync(each);
copyFileSync(SAMPLE, file);
symlinkSync(outside, join(lab, 'link'));

describe('a path outside the folders', () => {
  it('has a folder to allow: its own, or that of the file', () => {
    expect(findOutside(file, [lab])).toEqual({ folder: outside, path: file });
    expect(findOutside(outside, [lab])).toEqual({ folder: outside, path: outside });
    expect(findOutside(join(folder, 'lab-2', 'a.tif'), [lab])).toMatchObject({ folder: join(folder, 'lab-2') });
    expect(findOutside(join(lab, '..a.tif'), [lab])).toBeUndefined();
    expect(findOutside(lab, [lab])).toBeUndefined();
    expect(findOutside(file, [])).toBeUndefined();
    // The whole disk is not offered.
    expect(findOutside('/a.tif', [lab])).toBeUndefined();
  });
});

describe('a dropped file', () => {
  it('is not looked for by anything but a name', async () => {
    const desk = new Desk();
    try {
      await desk.start();
      for (const body of [
        { name: '../scan.ome.tif', size: 1, modified: 1 },
        { name: 'a', folder: '..', size: 1, modified: 1 },
        { name: 'a', folder: 'x/y', size: 1, modified: 1 },
        { name: 'a', size: '1', modified: 1 },
        {},
      ]) {
        expect(await desk.post('locate', body), JSON.stringify(body)).toMatchObject({ status: 400 });
      }
      const { url } = await desk.until('running');
      const { size, mtimeMs } = statSync(file);
      const known = { name: 'scan.ome.tif', size, modified: Math.floor(mtimeMs) };
      expect(await locate(known, [lab, outside], url)).toBe(file);
      expect(await locate({ ...known, folder: 'out side' }, [lab, folder], url)).toBe(file);
      expect(await locate({ ...known, size: size + 1 }, [outside], url)).toBeUndefined();
      expect(await locate({ ...known, modified: known.modified - 2_000 }, [outside], url)).toBeUndefined();
      expect(likelyFolders([{ path: file }], [lab]).slice(0, 3)).toEqual([outside, folder, lab]);
    } finally {
      await desk.close();
    }
  });
});

describe('the control page', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = new Desk();
    await desk.start({}, { port: await freePort(), root: [lab] });
    await desk.until('running');
  });
  afterEach(() => desk.close());
  const roots = () => (JSON.parse(readFileSync(desk.settingsFile, 'utf8')) as { root: string[] }).root;

  it('learns which folder to allow, also for a file that was handed over and through a link', async () => {
    expect(await desk.post('open', { path: join(lab, 'link', 'scan.ome.tif') })).toMatchObject({
      status: 400,
      json: { error: 'outside_folders', outside: { folder: outside, path: file } },
    });
    await desk.supervisor.openFile(file);
    await expect
      .poll(() => desk.events.find(({ kind }) => kind === 'notice'))
      .toMatchObject({ outside: { folder: outside, path: file } });
    expect((await desk.post('open', { path: join(outside, 'missing.tif') })).json).not.toHaveProperty('outside');
    const fifo = join(lab, 'pipe.tif');
    execFileSync('mkfifo', [fifo]);
    const { json } = await desk.post('open', { path: fifo });
    expect(json).toMatchObject({ error: 'path_not_allowed' });
    expect(json['outside']).toBeUndefined();
    expect(roots()).toEqual([lab]);
  });

  it('allows a folder, and nothing that is not one', async () => {
    for (const folderName of [file, '/nowhere', 'lab', '']) {
      expect(await desk.post('allow-folder', { folder: folderName, path: file })).toMatchObject({ status: 400 });
    }
    expect(await desk.post('allow-folder', { folder: [outside], path: file })).toMatchObject({ status: 400 });
    expect(roots()).toEqual([lab]);
    const { pid } = await desk.until('running');
    expect((await desk.post('allow-folder', { folder: outside, path: file })).json).toMatchObject({
      name: 'scan.ome.tif',
      viewer: expect.stringContaining('?session='),
    });
    expect(roots()).toEqual([lab, outside]);
    expect((await desk.until('running')).pid).not.toBe(pid);
  });
});

describe('a file that is handed over at the start', () => {
  it('is explained by the page that is not connected yet', async () => {
    const desk = new Desk();
    try {
      await desk.start({ openAtStart: '/nowhere/scan.oir' });
      await expect.poll(() => desk.events.find(({ kind }) => kind === 'notice')).toBeDefined();
    } finally {
      await desk.close();
    }
  });
});
