/** What the bench beside other servers writes down of what it has measured. */
import { expect, it } from 'vitest';
import { figure, ms, ratio } from '../../../bench/beside/figures.mjs';
import { addRound, emptyRow, printTable } from '../../../bench/beside/report.mjs';
import { processorTicks } from '../../../bench/beside/servers.mjs';

const server = (name: string, age: number) => ({ name, age: () => age });

function printed(
  ...[columns, runs, names]: [Parameters<typeof printTable>[0], Parameters<typeof printTable>[1], string[]]
) {
  const lines: string[] = [];
  printTable(columns, runs, names, (text = '') => lines.push(text));
  return lines;
}

it('a ratio is the median of the runs, each the median of its rounds, with the lowest and the highest run', () => {
  const ours = [
    [10, 10, 10],
    [10, 20, 10],
    [5, 10, 10],
  ];
  const theirs = [
    [11, 30, 12],
    [12, 22, 11],
    [5, 12, 11],
  ];
  expect(ratio(ours, theirs)).toBe('**1.10** (1.10–1.20)');
  expect(ratio([[4]], [[6]])).toBe('**1.50**');
});

it('what does not repeat within 1.3 times in all runs is not written', () => {
  expect(figure([10, 13, 12], ms)).toBe('12');
  expect(figure([10, 13.1, 12], ms)).toBe('?');
  expect(ratio([[10], [10], [10]], [[10], [13], [12]])).toBe('**1.20** (1.00–1.30)');
  expect(ratio([[10], [10], [10]], [[10], [14], [12]])).toBe('?');
});

it('a table has a column for each server, their ratios to ours, and the age of each', () => {
  const run = (scale: number) => {
    const row = emptyRow('a.tif', ['4']);
    for (const round of [1, 2, 3]) {
      addRound(row, server('ours', 10 + round), { open: 10 * scale, all: 20 * scale });
      addRound(row, server('reference', 20 + round), { open: 15 * scale, all: 10 * scale });
      addRound(row, server('peer', 30 + round), { open: 20 * scale, all: 20 * scale });
    }
    return [row];
  };
  const columns = { title: 'file', facts: ['MiB'], keys: ['open', 'all'], compared: ['open'] };
  // The third run was on a machine that was busy: only the ratios say something.
  const [titles, , cells] = printed(columns, [run(1), run(1), run(2)], ['ours', 'reference', 'peer']);
  expect(titles).toBe(
    '| file | MiB | ours: open / all | reference | peer | reference ÷ ours: open | ' +
      'peer ÷ ours: open | age, s: ours / reference / peer |',
  );
  expect(cells).toBe(
    '| a.tif | 4 | ? / ? | ? / ? | ? / ? | **1.50** (1.50–1.50) | **2.00** (2.00–2.00) | 13 / 23 / 33 |',
  );
});

it('a server that refuses a file has its message in the table, and no ratio and no age', () => {
  const row = emptyRow('a.oir');
  addRound(row, server('ours', 3), { open: 10 });
  row.refused = { reference: `no | library\n${'x'.repeat(100)}` };
  const [, line, cells] = printed({ title: 'file', keys: ['open'] }, [[row]], ['ours', 'reference', 'peer']);
  expect(cells).toBe('| a.oir | 10 | does not open: no / library | – |  |  | 3.0 / – / – |');
  expect(line).toBe('|---|--:|--:|--:|--:|--:|--:|');
});

it('processor time is user and system time, whatever the name of the process has in it', () => {
  const after = 'S 1 10 10 0 -1 4194304 500 0 0 0 120 34 7 8 20 0 12 0 999';
  expect(processorTicks(`4242 (node) ${after}\n`)).toBe(154);
  expect(processorTicks(`4242 (a) S 1 (b c) ${after}\n`)).toBe(154);
});
