import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../support/temp.js';
import { countingPage, withFixture } from '../../support/tiff-cases.js';
import { FEI_SFEG, type FeiSections, feiSections, feiTag } from '../../writers/fei.js';
import { type TagSpec, writeTiff } from '../../writers/tiff.js';

const root = tempFolder();
const SECTIONS = feiSections(4);
const DATE_TIME = (text: string): TagSpec => ({ code: 306, type: 2, text });

async function sceneOf(sections: FeiSections, tags: TagSpec[] = [], code?: number) {
  const bytes = writeTiff({ pages: [countingPage(0, [feiTag(sections, code), ...tags])] });
  return withFixture(root, { 'a.tif': bytes }, async ({ acquisition }) => {
    const [scene] = acquisition.info.scenes;
    if (!scene) throw new Error('no scene');
    const { steps, date, time, warnings } = scene;
    return { X: steps.X, Y: steps.Y, clock: `${date} ${time}`.trim(), warnings };
  });
}

const PIXELS = { step: 1, unit: 'Pixels', origin: 'default' };
const micrometers = (step: number) => ({ step: expect.closeTo(step, 12), unit: 'micrometer', origin: 'file' });

describe('TIFFs of FEI and Thermo Fisher electron microscopes', () => {
  it.each([undefined, FEI_SFEG])('have a pixel size in meters and a date (tag %s)', async (code) => {
    expect(await sceneOf(SECTIONS, [], code)).toEqual({
      X: micrometers(0.0020345),
      Y: micrometers(0.004069),
      clock: '20190312 22:22:13',
      warnings: [],
    });
  });

  it('take the pixel size of the scan in use where there is none for all', async () => {
    const { Scan: _, ...rest } = SECTIONS;
    expect(await sceneOf(rest)).toMatchObject({ X: micrometers(0.0020345), Y: micrometers(0.0020345) });
  });

  it('of the chamber camera have none', async () => {
    const { Scan: _, EScan: __, ...camera } = SECTIONS;
    expect(await sceneOf(camera)).toEqual({ X: PIXELS, Y: PIXELS, clock: '20190312 22:22:13', warnings: [] });
  });

  it.each([
    ['12.03.2019', '22:22:13', '', '20190312 22:22:13'],
    ['25/03/2019', '10:22:13 PM', '', '20190325 22:22:13'],
    ['2019-03-12', '22:22:13', '', '20190312 22:22:13'],
    ['12/03/2019', '22:22:13', '2019:03:12 22:22:14', '20190312 22:22:13'],
    ['03/12/2019', "10 o'clock", '', '20190312'],
    ['yesterday', '22:22:13', '2019:03:12 22:22:14', '20190312 22:22:14'],
    ['', '', '', ''],
  ])('with the date %j %j (DateTime %j) are of %j', async (day, time, stamp, clock) => {
    const sections = { ...SECTIONS, User: { Date: day, Time: time } };
    expect((await sceneOf(sections, stamp === '' ? [] : [DATE_TIME(stamp)])).clock).toBe(clock);
  });

  it('that were resized have no pixel size, and say so', async () => {
    const found = await sceneOf(feiSections(8));
    expect([found.X, found.Y]).toEqual([PIXELS, PIXELS]);
    expect(found.warnings).toEqual([
      'The microscope recorded 8 pixels per row, but the image has 4; the pixel size was ignored.',
    ]);
  });

  it.each(['0', '-1e-9', '1e-30', 'inf'])('with a pixel size of %s have none', async (value) => {
    const found = await sceneOf({ ...SECTIONS, Scan: { PixelWidth: value, PixelHeight: '2e-9' } });
    expect([found.X, found.Y]).toEqual([PIXELS, micrometers(0.002)]);
  });

  it('with other contents in the tag are plain pages', async () => {
    const tag: TagSpec = { code: FEI_SFEG, type: 2, text: 'PE1lbWVudG9JdGVtQ29sbGVjdGlvbj4=' };
    await withFixture(root, { 'a.tif': writeTiff({ pages: [countingPage(0, [tag])] }) }, async ({ acquisition }) => {
      expect(acquisition.info.scenes[0]).toMatchObject({ date: '', steps: { X: PIXELS }, warnings: [] });
    });
  });
});
