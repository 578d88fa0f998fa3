/** Marks that the viewer saves, read by the Python client. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { markMeans } from '../../packages/viewer/src/measure/mark-means.ts';
import { marksJson } from '../../packages/viewer/src/measure/mark-records.ts';
import { addMark } from '../../packages/viewer/src/measure/marks.ts';
import { debianPython, PYTHON_CLIENT } from '../support/python-client.js';
import { testPane } from '../viewer/image/test-pane.ts';

const python = debianPython();
const at = (row: number, column: number) => ({ row, column });

const PROGRAM = `
import json, sys
import acquisition_store as acq
try:
    table = acq.read_marks(sys.argv[1])
    plain = {name: [value.tolist() if hasattr(value, "tolist") else value for value in table[name]] for name in table}
    print(json.dumps([plain, getattr(table, "attrs", {}).get("file")]))
except acq.AcqError as error:
    print(json.dumps([error.code, error.message]))
`;

/** A mark without the texts that the viewer writes. */
const BARE = '{"marks": [{"points": [], "channels": []}], "axes": []}';

describe.skipIf(python === undefined)('marks in Python', () => {
  const folder = mkdtempSync(join(tmpdir(), 'acq-marks-'));
  const path = join(folder, 'scan.marks.json');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function read(text: string): [Record<string, unknown[]>, string] {
    writeFileSync(path, text);
    const env = { ...process.env, PYTHONPATH: join(PYTHON_CLIENT, 'src'), PYTHONDONTWRITEBYTECODE: '1' };
    const { stdout, stderr } = spawnSync(python!, ['-c', PROGRAM, path], { encoding: 'utf8', env });
    expect(stderr).toBe('');
    return JSON.parse(stdout.replaceAll('NaN', 'null'));
  }

  it('are a table with a row for each, as the viewer saved them', async () => {
    const pane = testPane({ shape: [10, 4], y: [0.5, 'seconds'], x: [2, 'micrometer'], channels: 1 });
    pane.channels[0]!.data.value = Float32Array.from({ length: 40 }, (_, i) => 10 * Math.floor(i / 4) + (i % 4));
    addMark(pane, { kind: 'region', from: at(2, 0.5), to: at(4, 2) });
    addMark(pane, { kind: 'line', from: at(0, 0), to: at(4, 3), name: 'fast', comment: '=1+1, "µ"' });
    addMark(pane, { kind: 'point', from: at(5.5, 3.5), to: at(5.5, 3.5), plane: { t: 7, z: 1 } });
    const marks = pane.marks.value;
    const measured = async (mark: (typeof marks)[number]) =>
      [mark.id, await markMeans(mark, pane, 'mean', new AbortController().signal)] as const;
    const means = new Map(await Promise.all(marks.map(measured)));
    const source = { source: { path: '/data/scan.oir' } } as Parameters<typeof marksJson>[3];

    const [table, file] = read(marksJson(marks, pane, means, source, null));
    const name = pane.channels[0]!.name;
    expect(file).toBe('/data/scan.oir');
    expect(table).toMatchObject({
      id: ['1', '2', '3'],
      kind: ['region', 'line', 'point'],
      name: ['Region 1', 'fast', 'Point 3'],
      comment: ['', '=1+1, "µ"', ''],
      T: [-1, -1, 6],
      Z: [-1, -1, 0],
      points: [
        expect.anything(),
        [
          [0, 0],
          [4, 3],
        ],
        [[5.5, 3.5]],
      ],
      width: [null, 1, null],
      velocity: [null, 3, null],
      [`${name} mean`]: [25.5, means.get('2')![0]!.mean, 53],
      [`${name} ΔF/F₀`]: [(25.5 - 45.5) / 45.5, means.get('2')![0]!.dff, 5 / 48],
    });
  });

  it('are refused when they are something else', () => {
    for (const text of ['{"marks": 5}', '[]', 'no JSON', '{"marks": [{}], "axes": []}', '{"marks": [null]}', BARE]) {
      expect(read(text)).toEqual(['unsupported_format', expect.stringContaining('is not a file of marks')]);
    }
  });
});
