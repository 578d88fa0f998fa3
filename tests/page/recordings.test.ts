/** Recordings in several files that were given to a page: its readers join them as the server does. */
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { buildPage, PageHost } from '../support/page-host.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { countingPage } from '../support/tiff-cases.js';
import { imageXml } from '../writers/lif.js';
import { firstSample, ndSet } from '../writers/metamorph-nd.js';
import { scanimageFrames } from '../writers/scanimage.js';
import { writeTiff } from '../writers/tiff.js';

const root = tempFolder();
const host = new PageHost(join(root, 'page'));

interface Opened {
  sizes: Record<string, number>;
  recording: object | undefined;
  warnings: string[];
  first: number[];
  code: string | undefined;
}

describe.runIf(chromiumPath() !== undefined)('recordings in a page', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    await buildPage(host.folder);
    browser = await launchBrowser();
    page = await browser.newPage();
    await page.goto(`${await host.start()}/blank`);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    host.stop();
  });

  let written = 0;
  /** Opens one of some files with all parts; returns its sizes and the first sample of each time point. */
  function openAll(files: Record<string, Uint8Array | string>, name: string, parts = 'all'): Promise<Opened> {
    const given = Object.entries(files).map(([path, bytes]) => [
      path,
      host.add(writeTemp(root, `${written++}`, bytes)),
    ]);
    return page.evaluate<Opened>(`(async () => {
      const { openFiles } = await import('/readers.js');
      const files = [];
      for (const [path, address] of ${JSON.stringify(given)}) files.push({ path, data: await (await fetch(address)).blob() });
      try {
        const acquisition = await openFiles(files, { name: ${JSON.stringify(name)}, parts: ${JSON.stringify(parts)} });
        const { header, source, warnings, channels } = acquisition.info;
        const first = [];
        for (let t = 0; t < (header.sizes.T ?? 1); t++) {
          const selection = header.sizes.T ? { t } : {};
          first.push((await acquisition.plane(channels[0].index, selection))[0]);
        }
        await acquisition.close();
        return { sizes: header.sizes, recording: source.recording, warnings, first };
      } catch (error) {
        return { code: error.code ?? String(error) };
      }
    })()`);
  }

  it('are joined by frame numbers', async () => {
    const header = { VERSION_MAJOR: 2020, 'hChannels.channelSave': 1, 'hRoiManager.scanFramePeriod': 0.05 };
    const frames = (...numbers: number[]) =>
      scanimageFrames(
        header,
        numbers.map((number) => ({ number, value: number, epoch: '[2023 4 13 17 45 2.164]' })),
      );
    const files = { 'a_1.tif': frames(1, 2), 'a_2.tif': frames(3, 4) };
    expect(await openAll(files, 'a_2.tif')).toMatchObject({
      recording: { parts: 2, part: 1, along: ['T'], evidence: 'frame numbers' },
      first: [1, 2, 3, 4],
    });
    expect(await openAll(files, 'a_2.tif', 'one')).toMatchObject({ recording: { parts: 2, part: 1 }, first: [3, 4] });
  });

  it('are joined by their names, and by the XML of an export', async () => {
    const files = Object.fromEntries([0, 1, 2].map((t) => [`x_t0${t}.tif`, writeTiff({ pages: [countingPage(t)] })]));
    const joined = { sizes: { C: 1, T: 3, Y: 3, X: 4 }, first: [0, 12, 24] };
    expect(await openAll(files, 'x_t01.tif')).toMatchObject({ ...joined, recording: { evidence: 'names' } });
    const xml = imageXml({
      name: '',
      data: new Uint8Array(),
      channels: [{ bytesInc: 0, resolution: 16 }],
      dimensions: [
        { id: 1, count: 4, length: '6e-7', bytesInc: 2 },
        { id: 2, count: 3, length: '4e-7', bytesInc: 8 },
        { id: 4, count: 3, length: '3', unit: 's', bytesInc: 24 },
      ],
    });
    expect(await openAll({ ...files, 'MetaData/x.xml': `<Data>${xml}</Data>` }, 'x_t01.tif')).toMatchObject({
      ...joined,
      recording: { evidence: 'master file', master: 'MetaData/x.xml' },
      warnings: [],
    });
    const { 'x_t01.tif': _, ...gap } = files;
    expect(await openAll(gap, 'x_t00.tif')).toEqual({ code: 'companion_missing' });
  });

  it('are opened by the file that describes them', async () => {
    const files = ndSet({ stem: 'a', waves: ['DAPI'], times: 3, sections: 2 });
    const first = [0, 1, 2].map((time) => firstSample({ wave: 0, stage: 0, time, z: 0 }));
    expect(await openAll(files, 'a_w1DAPI_t2.stk')).toMatchObject({ recording: { part: 1, master: 'a.nd' }, first });
  });
});
