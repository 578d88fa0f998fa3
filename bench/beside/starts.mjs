// What the first user meets: the first open of a process of some age, and the processor time of early and of later opens.
import { visit } from './client.mjs';
import { wait } from './figures.mjs';
import { addRound, emptyRow } from './report.mjs';

/** Seconds from the first answer of /health to the first open. */
const AGES = [0, 1, 2, 5];
const WITH_START = 'start + 0 s';
const EARLY = 10;
const LATER = { from: 100, count: 100 };
/** Seconds from the first answer of /health to the first of the early opens. */
const EARLY_AGES = [0, 5];
const overLater = (age) => `${age} s ÷ later`;

/** @type {import('./report.mjs').Columns} */
export const FIRST_OPENS = { title: 'file', keys: [...AGES.map((age) => `${age} s`), WITH_START] };
/** @type {import('./report.mjs').Columns} */
export const STARTS = { title: '', keys: ['to /health', 'processor'] };
/** @type {import('./report.mjs').Columns} */
export const EARLY_OPENS = {
  title: 'file',
  keys: [...EARLY_AGES.map((age) => `${age} s`), 'later', ...EARLY_AGES.map(overLater)],
  compared: [...EARLY_AGES.map((age) => `${age} s`), 'later'],
};

/**
 * Milliseconds from the open to the last byte of the last plane, a fresh process for each server, file and age; the same from
 * the start of the process, for an open at once; and in `starts` what the starts took.
 * @param {import('./servers.mjs').Contestant[]} contestants
 * @param {import('./files.mjs').Compared[]} files
 * @param {{ round: number, quick: boolean }} options servers take turns in being the first from round to round
 * @returns {Promise<{ opens: import('./report.mjs').Row[], starts: import('./report.mjs').Row[] }>}
 */
export async function measureFirstOpens(contestants, files, { round, quick }) {
  const start = emptyRow('a start');
  const opens = [];
  for (const { name, path } of files) {
    const row = emptyRow(name);
    for (const age of AGES) {
      for (const contestant of round % 2 === 0 ? contestants : [...contestants].reverse()) {
        if (row.refused[contestant.name] !== undefined) continue;
        const server = await contestant.start();
        addRound(start, server, { 'to /health': server.startMs, processor: server.processorMs() });
        await wait(quick ? 0 : age * 1000);
        const result = await visit(server, path);
        if ('refused' in result) row.refused[server.name] = result.refused;
        else {
          const whole = age === 0 ? { [WITH_START]: server.startMs + result.all } : {};
          addRound(row, server, { [`${age} s`]: result.all, ...whole });
        }
        await server.stop();
      }
    }
    opens.push(row);
  }
  return { opens, starts: [start] };
}

/**
 * Processor milliseconds of the server per open, planes and DELETE: opens 1 to 10 of processes of two ages, and opens 101 to 200
 * of one of them. What the server does on its own meanwhile counts.
 * @param {import('./servers.mjs').Contestant[]} contestants
 * @param {import('./files.mjs').Compared} file
 * @param {number} processes of each age, since ten opens are few for a clock with steps of 10 ms
 * @returns {Promise<import('./report.mjs').Row>}
 */
export async function measureEarlyOpens(contestants, { name, path }, processes) {
  const row = emptyRow(name);
  for (const contestant of contestants) {
    let later = 0;
    for (let i = 0; i < processes * EARLY_AGES.length; i++) {
      const age = EARLY_AGES[i % EARLY_AGES.length];
      const server = await contestant.start();
      await wait(age * 1000);
      const early = await processorOf(server, path, EARLY);
      if (typeof early === 'string') row.refused[server.name] = early;
      else {
        const isFirst = later === 0;
        later ||= await processorLater(server, path);
        const figures = { [`${age} s`]: early, [overLater(age)]: early / later };
        addRound(row, server, isFirst ? { ...figures, later } : figures);
      }
      await server.stop();
      if (typeof early === 'string') break;
    }
  }
  return row;
}

async function processorLater(server, path) {
  await processorOf(server, path, LATER.from - EARLY);
  const later = await processorOf(server, path, LATER.count);
  if (typeof later === 'string') throw new Error(`${server.name}, ${path}: ${later}`);
  return later;
}

/** @returns {Promise<number | string>} milliseconds per open of so many; why the server refuses the file */
async function processorOf(server, path, count) {
  const before = server.processorMs();
  for (let i = 0; i < count; i++) {
    const result = await visit(server, path);
    if ('refused' in result) return result.refused;
  }
  return (server.processorMs() - before) / count;
}
