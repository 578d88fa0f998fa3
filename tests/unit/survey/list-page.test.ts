import { expect, it } from 'vitest';
import type { FolderEntry } from '../../../packages/client/src/contract/files.js';
import { AcqError } from '../../../packages/readers/src/base/errors.js';
import { KnownFiles } from '../../../packages/server/src/survey/known-files.js';
import { detail, type SurveyPath } from '../../../packages/server/src/survey/list-page.js';
import type { Survey } from '../../../packages/server/src/survey/survey.js';

const entry = (name: string, openable = true): FolderEntry => ({
  ...{
    name,
    path: `/data/${name}`,
    kind: openable ? ('file' as const) : ('folder' as const),
    size: 1,
    modified: 1,
    openable,
  },
  ...(openable ? { recording: { format: 'TIFF', files: 1 } } : {}),
});
const surveyOf = (path: string, more: Partial<Survey> = {}): Survey => ({
  ...{
    path,
    name: path.slice(6),
    format: 'tif',
    formatName: 'TIFF',
    size: 1,
    modified: 1,
    files: [path],
    date: '',
    time: '',
  },
  ...{ scenes: 1, dtype: 'uint16', channels: ['CH1'], warnings: [], findings: [] },
  sizes: { T: 1, Z: 1, Y: 1, X: 1 },
  steps: {} as Survey['steps'],
  ...more,
});
const names = ({ entries }: { entries: FolderEntry[] }) => entries.map(({ name }) => name);
const letters = ['a.tif', 'b.tif', 'c.tif', 'd.tif'];

it('keeps the order, and the folders between', async () => {
  const survey: SurveyPath = async (path) => {
    await new Promise((resolve) => setTimeout(resolve, path.endsWith('a.tif') ? 30 : 1));
    return surveyOf(path);
  };
  const listed = [entry('a.tif'), entry('folder', false), entry('b.tif')];
  expect(await detail(listed, new KnownFiles(), survey)).toMatchObject({
    entries: [{ name: 'a.tif', recording: { details: { ok: true } } }, { name: 'folder' }, { name: 'b.tif' }],
    taken: 3,
  });
});

it('ends when time is over, but not before one is known', async () => {
  const survey: SurveyPath = async (path) => surveyOf(path);
  const { taken } = await detail(
    letters.map((name) => entry(name)),
    new KnownFiles(),
    survey,
    0,
  );
  expect(taken).toBe(1);
});

it('leaves out what an earlier recording, or a later one, is made of', async () => {
  const files = ['/data/a.tif', '/data/b.tif'];
  const asked: string[] = [];
  const survey: SurveyPath = async (path) => {
    asked.push(path);
    return surveyOf(
      path,
      path === '/data/a.tif' ? { files } : path === '/data/d.tif' ? { files: ['/data/d.tif', '/data/c.tif'] } : {},
    );
  };
  const known = new KnownFiles();
  expect(
    names(
      await detail(
        letters.map((name) => entry(name)),
        known,
        survey,
      ),
    ),
  ).toEqual(['a.tif', 'd.tif']);
  expect(
    names(
      await detail(
        letters.slice(0, 2).map((name) => entry(name)),
        new KnownFiles(),
        survey,
      ),
    ),
  ).toEqual(['a.tif']);
  asked.length = 0;
  // The next answers need not open it.
  expect(names(await detail([entry('b.tif')], known, survey))).toEqual([]);
  expect(asked).toEqual([]);
});

it('leaves out a later part whose first file was in another answer, and still lists that one', async () => {
  const files = ['/data/a.tif', '/data/b.tif', '/data/c.tif'];
  const recording = (part: number) => ({ parts: 3, part, along: ['T' as const], evidence: 'names' as const });
  const survey: SurveyPath = async (path, wholeOf) => {
    const part = files.indexOf(path);
    return surveyOf(path, { recording: recording(part), ...(wholeOf === 'any' || part === 0 ? { files } : {}) });
  };
  const known = new KnownFiles();
  expect(names(await detail([entry('b.tif'), entry('c.tif')], known, survey))).toEqual([]);
  expect(names(await detail([entry('a.tif'), entry('b.tif')], known, survey))).toEqual(['a.tif']);
});

it('lists every file of channels, which may be cells', async () => {
  const survey: SurveyPath = async (path) =>
    surveyOf(path, { recording: { parts: 2, part: 1, along: ['C'], evidence: 'names' } });
  expect(names(await detail([entry('b.tif')], new KnownFiles(), survey))).toEqual(['b.tif']);
});

it('ends before a recording that the server is too busy for, and says so when it is the first', async () => {
  const busy = new AcqError('capacity_exceeded', 'busy');
  const survey: SurveyPath = async (path) => {
    if (path.endsWith('c.tif')) throw busy;
    return surveyOf(path);
  };
  const listed = letters.map((name) => entry(name));
  expect(await detail(listed, new KnownFiles(), survey)).toMatchObject({ taken: 2 });
  await expect(detail(listed.slice(2), new KnownFiles(), survey)).rejects.toBe(busy);
});

it('says why a recording cannot be opened, and leaves out files of other programs', async () => {
  const codes: Record<string, AcqError> = {
    '/data/a.tif': new AcqError('decode_failed', 'damaged'),
    '/data/b.xml': new AcqError('unsupported_format', 'settings'),
  };
  const survey: SurveyPath = async (path) => {
    throw codes[path];
  };
  const { entries, taken } = await detail([entry('a.tif'), entry('b.xml')], new KnownFiles(), survey);
  expect([entries.map(({ recording }) => recording?.details), taken]).toEqual([
    [{ ok: false, error: 'decode_failed', message: 'damaged' }],
    2,
  ]);
});

it('waits for the whole of a later part no longer than for other files', async () => {
  const along: ['T'] = ['T'];
  const recording = { parts: 9, along, evidence: 'frame numbers' as const };
  const survey: SurveyPath = async (path, wholeOf) => {
    if (path === '/data/a.tif') return surveyOf(path);
    if (wholeOf === 'any') await new Promise((resolve) => setTimeout(resolve, 9_000).unref());
    return surveyOf(path, { recording: { ...recording, part: 1 } });
  };
  const start = performance.now();
  const listed = letters.map((name) => entry(name));
  expect(await detail(listed, new KnownFiles(), survey, 100)).toMatchObject({ entries: [{ name: 'a.tif' }], taken: 1 });
  expect(performance.now() - start).toBeLessThan(6_000);
}, 30_000);

it('does not list a later part by itself because the server is busy', async () => {
  const along: ['T'] = ['T'];
  const recording = { parts: 9, part: 1, along, evidence: 'frame numbers' as const };
  const survey: SurveyPath = async (path, wholeOf) => {
    if (wholeOf === 'any') throw new AcqError('capacity_exceeded', 'busy');
    return surveyOf(path, path === '/data/a.tif' ? {} : { recording });
  };
  const known = new KnownFiles();
  const listed = letters.map((name) => entry(name));
  expect(await detail(listed, known, survey)).toMatchObject({ entries: [{ name: 'a.tif' }], taken: 1 });
  await expect(detail(listed.slice(1), known, survey)).rejects.toMatchObject({ code: 'capacity_exceeded' });
});
