import { expect, it } from 'vitest';
import { ExportProgress } from '../../packages/server/src/cli/export-progress.js';

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { written, stream: { isTTY, columns: 60, write: (text: string) => written.push(text) } };
}

const state = { planes: 37, planeCount: 120, bytes: 41_000_000 };

it('rewrites one line on a terminal, with the oldest file that is being written', () => {
  const { written, stream } = terminal(true);
  const progress = new ExportProgress(stream);
  progress.start(['a.oir', 'scan\u001b[2J.oir']);
  progress.begin(1);
  expect(written).toEqual(['\r\u001b[K2/2 scan\\u001b[2J.oir']);
  progress.line('done');
  expect(written.slice(1)).toEqual(['\r\u001b[K', 'done\n']);
});

it('shows planes, percent and speed, and never more than the width of the terminal', async () => {
  const { written, stream } = terminal(true);
  const progress = new ExportProgress({ ...stream, columns: 40 });
  progress.start(['scan.oir']);
  progress.begin(0);
  await new Promise((next) => setTimeout(next, 120));
  progress.update(0, state);
  expect(written.at(-1)).toMatch(/^\r\u001b\[K1\/1 scan\.oir {2}plane 37\/120 {2}30 % {2}\d/);
  expect(written.at(-1)!.length).toBeLessThanOrEqual('\r\u001b[K'.length + 39);
});

it('writes only complete lines elsewhere', () => {
  const { written, stream } = terminal(false);
  const progress = new ExportProgress(stream);
  progress.start(['scan.oir']);
  progress.begin(0);
  progress.update(0, state);
  progress.line('scan.oir → scan.npy');
  progress.finish();
  expect(written).toEqual(['scan.oir → scan.npy\n']);
});
