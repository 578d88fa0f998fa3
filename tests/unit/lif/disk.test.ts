import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toInsideName } from '../../../packages/readers/src/formats/lif/disk.js';
import { openAcquisition } from '../../../packages/server/src/open.js';
import { FIELD, lineVector, overview, rowsOf, seriesVector } from '../../support/lif.js';
import { tempFolder } from '../../support/temp.js';
import { imageXml, onDisk, referring, utf16, writeLof } from '../../writers/lif.js';
import { writeTiff } from '../../writers/tiff.js';

const root = tempFolder();

/** Writes files into a fresh folder and opens the first. */
async function openFirst(files: Record<string, Uint8Array | string>) {
  const folder = join(mkdtempSync(join(root, 'project-')), 'own');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return await openAcquisition(join(folder, Object.keys(files)[0]!));
}

const xlif = (name: string, parts: string, image = lineVector({ name })) =>
  onDisk(name, imageXml(image), `<Memory Size="${image.data.length}" MemoryBlockID="m">${parts}</Memory>`);

/** The series as 12 TIFF frames, each at its offset in the memory block. */
function framesOf(letter: (frame: number) => string) {
  const { data } = seriesVector();
  const files: Record<string, Uint8Array> = {};
  let parts = '';
  for (let frame = 0; frame < 12; frame++) {
    const samples = data.slice(frame * 20, frame * 20 + 20);
    files[letter(frame)] = writeTiff({ pages: [{ width: 5, height: 4, samples }] });
    parts += `<Frame File="${letter(frame)}" Offset="${frame * 20}" Size="20" UUID="u${frame}"/>`;
  }
  return { files, parts };
}

describe('a LIF project on disk', () => {
  it('links a line scan to the overview of its own collection', async () => {
    const line = writeLof(lineVector({ settings: { ScanMode: 'xt', LineTime: '0.0025', ...FIELD } }));
    const frame = writeLof(overview());
    const both = await openFirst({ 'P.xlef': referring('P', ['f.lof', 'l.lof']), 'f.lof': frame, 'l.lof': line });
    expect(both.acquisition.info.scenes[1]?.reference?.lineRoi?.[1]).toBe(3);
    both.close();
    const apart = await openFirst({
      'P.xlef': referring('P', ['f.lof', 'C.xlcf']),
      'f.lof': frame,
      'C.xlcf': referring('C', ['l.lof']),
      'l.lof': line,
    });
    expect(apart.acquisition.info.scenes.map(({ name }) => name)).toEqual(['Overview', 'C/Series001']);
    expect(apart.acquisition.info.scenes[1]?.reference).toBeNull();
    apart.close();
  });

  it('opens collections, images and LOF files inside its folder', async () => {
    const opened = await openFirst({
      'Project.xlef': referring('Project', ['Cells%201%5CCollection.xlcf', 'Single.LOF', 'Cells 1\\Line.xlif']),
      'Cells 1/Collection.xlcf': referring('Cells', ['line.xlif', '..\\single.lof', 'spot.lof']),
      'Cells 1/spot.lof': writeLof(lineVector({ name: 'Spot' })),
      'Cells 1/Line.xlif': utf16(
        `\ufeff${xlif('Line', '<Block File="LINE.lof" Offset="0" Size="48"/>').replace('utf-8', 'utf-16')}`,
      ),
      'Cells 1/line.lof': writeLof(lineVector()),
      'single.lof': writeLof(seriesVector({ name: 'Single' })),
    });
    const { info } = opened.acquisition;
    expect(info.format).toBe('xlef');
    expect(info.scenes.map(({ name }) => name)).toEqual(['Single', 'Line', 'Cells/Spot']);
    expect(info.scenes.flatMap(({ warnings }) => warnings)).toEqual([]);
    expect((await rowsOf(opened.acquisition, 1, 1))[2]).toEqual([108, 109, 110, 111]);
    expect((await rowsOf(opened.acquisition, 0, 1, { t: 1, z: 2 }))[3]).toEqual([106, 107, 108, 109, 110]);
    opened.close();
  });

  it('reads an image whose frames are TIFF files', async () => {
    const { files, parts } = framesOf((frame) => `Series--frame${frame}.tif`);
    const opened = await openFirst({ 'Series.xlif': xlif('Series', parts, seriesVector()), ...files });
    const { info } = opened.acquisition;
    expect(info.format).toBe('xlif');
    expect(info.scenes[0]?.sizes).toEqual({ T: 2, Z: 3, Y: 4, X: 5 });
    expect((await rowsOf(opened.acquisition, 0, 1, { t: 1, z: 2 }))[0]).toEqual([100, 101, 102, 103, 104]);
    expect((await rowsOf(opened.acquisition, 0, 0))[3]).toEqual([6, 7, 8, 9, 10]);
    opened.close();
  });

  it('refuses only the planes whose frame is missing or has the wrong size', async () => {
    const { files, parts } = framesOf((frame) => `f${frame}.tif`);
    const { 'f3.tif': _, ...rest } = files;
    const other = writeTiff({ pages: [{ width: 4, height: 4, samples: new Uint8Array(16) }] });
    const opened = await openFirst({ 'Series.xlif': xlif('Series', parts, seriesVector()), ...rest, 'f4.tif': other });
    await expect(rowsOf(opened.acquisition, 0, 1, { z: 1 })).rejects.toMatchObject({
      code: 'companion_missing',
      message: expect.stringContaining(`"f3.tif" is missing from ${dirname(opened.path)}`),
    });
    await expect(rowsOf(opened.acquisition, 0, 0, { z: 2 })).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining('f4.tif is 4 × 4 pixels of 8 bits, which does not match the 20 bytes'),
    });
    expect((await rowsOf(opened.acquisition, 0, 1))[0]).toEqual([60, 61, 62, 63, 64]);
    opened.close();
  });

  it('refuses frames that are color TIFFs', async () => {
    const gray = new Uint8Array(20);
    const color = writeTiff({ pages: [{ width: 5, height: 4, samples: [gray, gray, gray], photometric: 2 }] });
    const { files, parts } = framesOf((frame) => `f${frame}.tif`);
    const opened = await openFirst({ 'S.xlif': xlif('S', parts, seriesVector()), ...files, 'f0.tif': color });
    await expect(rowsOf(opened.acquisition, 0, 0)).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringContaining('f0.tif is a color TIFF, which is not supported'),
    });
    opened.close();
  });

  it('skips a LOF file that is corrupted, with a warning', async () => {
    const opened = await openFirst({
      'P.xlef': referring('P', ['bad.lof', 'ok.lof']),
      'bad.lof': writeLof(lineVector()).slice(0, 70),
      'ok.lof': writeLof(lineVector()),
    });
    expect(opened.acquisition.info.scenes.map(({ name }) => name)).toEqual(['Series001']);
    const [warning, ...others] = opened.acquisition.info.scenes[0]?.warnings ?? [];
    expect(warning).toMatch(/^bad\.lof: .*[^.]\. The file was skipped\.$/);
    expect(others).toEqual([]);
    opened.close();
  });

  it('skips files that are outside its folder, missing or not supported, with a warning', async () => {
    const outside = writeLof(lineVector({ name: 'Outside' }));
    writeFileSync(join(root, 'outside.lof'), outside);
    const names = ['../../outside.lof', 'link.lof', 'gone.lof', join(root, 'outside.lof'), 'Picture.xlif', 'ok.lof'];
    const folder = mkdtempSync(join(root, 'escape-'));
    writeFileSync(join(folder, 'P.xlef'), referring('P', names));
    symlinkSync(join(root, 'outside.lof'), join(folder, 'link.lof'));
    writeFileSync(join(folder, 'Picture.xlif'), xlif('Picture', '<Frame File="p.png" Offset="0" Size="48"/>'));
    writeFileSync(join(folder, 'ok.lof'), writeLof(lineVector({ name: 'Ok' })));
    const opened = await openAcquisition(join(folder, 'P.xlef'));
    const { scenes } = opened.acquisition.info;
    expect(scenes.map(({ name }) => name)).toEqual(['Ok']);
    expect(scenes[0]?.warnings).toEqual([
      ...names.slice(0, 4).map((name) => `The file ${name} was skipped: it is not in the folder of the project.`),
      'The image Picture was skipped: its pixels are in p.png, which is not supported; export the image as LIF or OME-TIFF.',
    ]);
    opened.close();
  });

  it('names the first of many missing files, and counts the others', async () => {
    const missing = Array.from({ length: 150 }, (_, i) => `gone${i}.lof`);
    const opened = await openFirst({
      'P.xlef': referring('P', ['../outside.lof', '../outside.lof', ...missing, 'ok.lof']),
      'ok.lof': writeLof(lineVector()),
    });
    const warnings = opened.acquisition.info.scenes[0]?.warnings ?? [];
    expect(warnings).toHaveLength(100);
    expect(warnings.filter((text) => text.includes('outside.lof'))).toHaveLength(1);
    expect(warnings.slice(-2)).toEqual([
      'The file gone97.lof was skipped: it is not in the folder of the project.',
      '… and 52 more warnings.',
    ]);
    opened.close();
  });

  it('whose files refer to each other is read once', async () => {
    const opened = await openFirst({
      'A.xlef': referring('A', ['B.xlcf', 'A.xlef', 'a.lof']),
      'B.xlcf': referring('B', ['A.xlef', 'B.xlcf']),
      'a.lof': writeLof(lineVector()),
    });
    expect(opened.acquisition.info.scenes).toHaveLength(1);
    expect(opened.acquisition.info.scenes[0]?.warnings).toEqual([]);
    opened.close();
  });

  it('without any image is refused', async () => {
    await expect(openFirst({ 'E.xlef': referring('E', ['gone.lof']) })).rejects.toMatchObject({
      code: 'companion_missing',
      message: /^E\.xlef: "gone\.lof" is missing from .+\/own\. Copy it there\.$/,
    });
  });
});

it.each([
  ['.', 'a.lof', 'a.lof'],
  ['sub', '..\\a%20b.lof', 'a b.lof'],
  ['sub', 'x\\y.lof', 'sub/x/y.lof'],
  ['.', '100%.lof', '100%.lof'],
  ['.', '..\\a.lof', undefined],
  ['sub', '%2e%2e/%2e%2e/a.lof', undefined],
  ['.', 'C:\\a.lof', undefined],
  ['.', '\\\\server\\a.lof', undefined],
  ['.', '/etc/passwd', undefined],
  ['.', 'a%00.lof', undefined],
  ['.', '', undefined],
  ['.', '..', undefined],
])('a reference in the folder %s to %s names %s', (from, reference, name) => {
  expect(toInsideName(from, reference)).toBe(name);
});
