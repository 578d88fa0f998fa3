import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { frames as lsmFrames } from '../support/lsm.js';
import { framesAt, sections } from '../support/oif.js';
import { openOk } from '../support/open.js';
import { describeWithSamples, samplePath } from '../support/samples.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { countingPage, description } from '../support/tiff-cases.js';
import { writeCzi } from '../writers/czi.js';
import { cziXml, mosaic, stack } from '../writers/czi-kinds.js';
import { feiSections, feiTag } from '../writers/fei.js';
import { writeLif } from '../writers/lif.js';
import { writeLsm } from '../writers/lsm.js';
import { writeOib, writeOif } from '../writers/oif.js';
import { writeTiff } from '../writers/tiff.js';

const root = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: root, decodeWorkers: 1 });
});
afterAll(() => server.close());

async function openPath(path: string): Promise<OpenResponse> {
  return openOk(server.url, { path });
}

async function open(name: string, bytes: Uint8Array): Promise<OpenResponse> {
  writeFileSync(join(root, name), bytes);
  return openPath(join(root, name));
}

const names = ({ channels }: OpenResponse) => channels.map(({ name }) => name);
const clock = ({ header }: OpenResponse) => `${header.date} ${header.time}`.trim();

describe('metadata of TIFF vendors', () => {
  it('gives a 48-bit RGB image of ImageJ three channels and no warning', async () => {
    const samples = [1, 2, 3].map((s) => Uint16Array.of(s, s));
    const tags = [description('ImageJ=1.53t\nimages=3\nchannels=3\nmode=composite\n')];
    const answer = await open(
      'rgb48.tif',
      writeTiff({ pages: [{ width: 2, height: 1, samples, photometric: 2, tags }] }),
    );
    expect(names(answer)).toEqual(['R', 'G', 'B']);
    expect(answer.header.shape).toEqual([3, 1, 2]);
    expect(answer.warnings).toEqual([]);
  });

  it('shows a plain stack along Z with a warning', async () => {
    const { header, warnings } = await open('stack.tif', writeTiff({ pages: [0, 1, 2].map((i) => countingPage(i)) }));
    expect(header.dims).toEqual(['C', 'Z', 'Y', 'X']);
    expect(warnings).toEqual([
      'The file does not say what its 3 pages are: channels, time points (T) or sections (Z). They are shown as Z sections.',
    ]);
  });

  it('reads pixel size and date of an FEI electron microscope', async () => {
    const answer = await open('sem.tif', writeTiff({ pages: [countingPage(0, [feiTag(feiSections(4))])] }));
    expect(answer.plane.axes.map(({ step, unit }) => [step, unit])).toEqual([
      [expect.closeTo(0.004069, 12), 'micrometer'],
      [expect.closeTo(0.0020345, 12), 'micrometer'],
    ]);
    expect(answer.header.calibration).toEqual(['default', 'file', 'file']);
    expect(clock(answer)).toBe('20190312 22:22:13');
    expect(answer.warnings).toEqual([]);
  });

  it.each([
    ['03/12/2019', '22:22:13', '20190312 22:22:13', true],
    ['12/03/2019', '22:22:13', '20191203 22:22:13', true],
    ['13/03/2019', '22:22:13', '20190313 22:22:13', false],
    ['03/03/2019', '22:22:13', '20190303 22:22:13', false],
    ['03/12/2019', '10:22:13 PM', '20190312 22:22:13', false],
  ])(
    'reads the date %s %s of an FEI electron microscope as %s (with a warning: %s)',
    async (day, time, expected, guessed) => {
      const sections = { ...feiSections(4), User: { Date: day, Time: time } };
      const answer = await open('date.tif', writeTiff({ pages: [countingPage(0, [feiTag(sections)])] }));
      expect(clock(answer)).toBe(expected);
      const text = `The recording date ${day} is ambiguous; the month was assumed to come first.`;
      expect(answer.warnings).toEqual(guessed ? [text] : []);
    },
  );

  it('names a source image of Prairie View by its channel and ignores the date 2008-01-01', async () => {
    const tags = [
      { code: 305, type: 2, text: 'Prairie View 5.6.64.200' },
      { code: 306, type: 2, text: '2008:01:01 00:00:00' },
    ];
    const answer = await open('Scan-Cycle00001_Ch2Source.tif', writeTiff({ pages: [countingPage(0, tags)] }));
    expect(names(answer)).toEqual(['Ch2']);
    expect(clock(answer)).toBe('');
  });

  it('names a source image of Prairie View that another program resaved by its channel', async () => {
    const answer = await open('Scan-Cycle00001_Ch2Source.tif', writeTiff({ pages: [countingPage(0)] }));
    expect(names(answer)).toEqual(['Ch2']);
  });
});

describe('metadata of CZI', () => {
  it('numbers scenes without a name', async () => {
    const tile = (s: number) => ({ m: 0, x: 0, y: 0, s });
    const spec = mosaic([tile(0), tile(1), tile(3)]);
    const scenes = '<S><Scenes><Scene Index="0"/><Scene Index="1" Name="P1"/><Scene Index="3"/></Scenes></S>';
    const answer = await open('scenes.czi', writeCzi({ ...spec, xml: cziXml({ dimensions: scenes }) }));
    expect(answer.source.scenes?.map(({ name }) => name)).toEqual(['Scene 1', 'P1', 'Scene 4']);
  });

  it.each([
    ['2024-03-05T10:08:09+01:00', '20240305 10:08:07', []],
    ['', '20240305 09:08:07', [/^The recording time 09:08:07 is UTC: /]],
  ])('shows the local time of the document %j', async (created, expected, warnings) => {
    const xml = cziXml({ acquired: '2024-03-05T09:08:07.1Z', created });
    const answer = await open('date.czi', writeCzi({ ...stack(1, 1), xml }));
    expect(clock(answer)).toBe(expected);
    expect(answer.warnings).toEqual(warnings.map((text) => expect.stringMatching(text)));
  });
});

describe('metadata of OIF', () => {
  it('warns when frames are at uneven times', async () => {
    const even = await openPath(writeOif(root, { ...framesAt([0, 1000, 2000, 3000]), name: 'even.oif' }));
    expect([even.header.physicalUnits[1], even.warnings]).toEqual([1, []]);
    const uneven = await openPath(writeOif(root, { ...framesAt([0, 1248, 2262, 3260]), name: 'uneven.oif' }));
    expect(uneven.header.dims[1]).toBe('T');
    expect(uneven.header.physicalUnits[1]).toBeCloseTo(3.26 / 3, 12);
    expect(uneven.header.calibration[1]).toBe('file');
    expect(uneven.warnings[0]).toContain('0.998 s to 1.248 s apart (median 1.014 s), by their frame times');
  });
});

const X_Z = 'This is an x–z scan: the rows are depths, so the Y axis runs along z.';

describe('the rows of an x–z scan are depths', () => {
  const lif = (slow?: object) => {
    const dimensions = [
      { id: 1, count: 3, length: '1e-6', bytesInc: 1 },
      { id: 3, count: 4, length: '3e-6', unit: 'm', bytesInc: 3 },
      { id: 4, count: 2, length: '5', unit: 's', bytesInc: 12 },
    ];
    return writeLif({
      elements: [{ name: 'xz', channels: [{ bytesInc: 0 }], dimensions, data: new Uint8Array(24), ...slow }],
    });
  };

  it.each([
    ['an OIF', async () => openPath(writeOif(root, sections(1)))],
    ['an OIF series', async () => openPath(writeOif(root, { ...sections(3), name: 'series.oif' }))],
    ['an OIB series', async () => open('series.oib', writeOib(sections(3)))],
    ['a LIF series', async () => open('xzt.lif', lif())],
    ['an LSM', async () => open('xz.lsm', writeLsm(lsmFrames({ images: 1, info: { scanType: 1, T: 1, Z: 3, Y: 1 } })))],
  ])('in %s', async (_, opened) => {
    const { plane, header, warnings } = await opened();
    expect(plane.axes[0]).toMatchObject({ arrayDimension: 0, name: 'Y', unit: 'micrometer', label: 'z' });
    expect(plane.axes[1]).not.toHaveProperty('label');
    expect(header.dims.slice(-2)).toEqual(['Y', 'X']);
    expect(warnings).toContain(X_Z);
  });

  it('and other planes have no label', async () => {
    const { plane, warnings } = await openPath(writeOif(root, { ...framesAt([0, 1000]), name: 'frames.oif' }));
    for (const axis of plane.axes) expect(axis).not.toHaveProperty('label');
    expect(warnings).not.toContain(X_Z);
  });
});

describeWithSamples('real files', () => {
  it('warns about frames of an OIF at uneven times', async () => {
    const path = 'oif/wisstock+trans_scripts/01_21_21/cell3/cell3_01.oif';
    const { header, warnings } = await openPath(samplePath(path));
    // The properties of the planes hold 0, 1248, 2262, 3261 … 9298 ms; the axis says 9392 ms for ten frames.
    expect(header.physicalUnits[1]).toBeCloseTo(9.298 / 9, 12);
    expect(warnings[0]).toMatch(/^The time points are 0\.998 s to 1\.248 s apart/);
  });

  it.each([
    ['czi/sebi06+czitools/CellDivision_T3_Z5_CH2_X240_Y170.czi', '20160212 10:41:02'],
    ['czi/AllenCellModeling+aicspylibczi/mosaic_test.czi', '20191206 16:34:54'],
    ['czi/sebi06+czitools/DAPI_GFP.czi', '20161201 16:13:46'],
    ['czi/sebi06+czitools/LSM880_AiryScan.czi', '20230322 10:58:51'],
  ])('shows the local time of %s: %s', async (path, expected) => {
    const answer = await openPath(samplePath(path));
    expect(clock(answer)).toBe(expected);
    expect(answer.warnings.filter((text) => /UTC/.test(text))).toEqual([]);
  });

  it('names a single source image by its channel', async () => {
    const folder = 'bruker/swharden+ScanAGator/LineScan-08092022-1225-528';
    const answer = await openPath(samplePath(`${folder}/LineScan-08092022-1225-528-Cycle00001_Ch2Source.tif`));
    expect(names(answer)).toEqual(['Ch2']);
    const reference = 'LineScan-08092022-1225-528-Cycle00002-Ch2-16bit-Reference.tif';
    expect(names(await openPath(samplePath(`${folder}/References/${reference}`)))).toEqual(['Ch2']);
  });
});
