// Tables that compare servers over runs: what each took, theirs ÷ ours, and how old their processes were.
import { figure, median, ms, ratio } from './figures.mjs';

/**
 * What one run says about a file: rounds of each figure of each server, seconds since the first answer of its /health at the
 * end of them, and messages of servers that refuse the file.
 * @typedef {object} Row
 * @property {string} name
 * @property {string[]} [facts] cells behind the name
 * @property {Record<string, Record<string, number[]>>} figures by server and key
 * @property {Record<string, number>} ages by server
 * @property {Record<string, string>} [refused] by server
 *
 * @typedef {object} Columns
 * @property {string} title of the first column
 * @property {string[]} [facts] titles of `Row.facts`
 * @property {string[]} keys of the figures
 * @property {string[]} [compared] keys with a ratio; all when omitted
 * @property {(value: number) => string} [format]
 */

/** @param {string} name @param {string[]} [facts] @returns {Row} */
export const emptyRow = (name, facts = []) => ({ name, facts, figures: {}, ages: {}, refused: {} });

/**
 * Adds one round of a server.
 * @param {Row} row @param {{ name: string, age: () => number }} server @param {Record<string, number>} figures
 */
export function addRound(row, server, figures) {
  const own = row.figures[server.name] ?? {};
  for (const [key, value] of Object.entries(figures)) own[key] = [...(own[key] ?? []), value];
  row.figures[server.name] = own;
  row.ages[server.name] = server.age();
}

/**
 * Prints a table with a row for each of the first run, each with its namesakes in the other runs.
 * @param {Columns} columns
 * @param {Row[][]} runs
 * @param {string[]} names of the servers, ours first
 * @param {(text?: string) => void} say
 */
export function printTable(columns, runs, names, say) {
  const { title, facts = [], keys, compared = keys } = columns;
  const [own, ...others] = names;
  const titles = [
    title,
    ...facts,
    `${own}: ${keys.join(' / ')}`,
    ...others,
    ...others.flatMap((other) => compared.map((key) => `${other} ÷ ${own}: ${key}`)),
    `age, s: ${names.join(' / ')}`,
  ];
  say(`| ${titles.join(' | ')} |`);
  say(`|---|${facts.map(() => '---|').join('')}${'--:|'.repeat(titles.length - 1 - facts.length)}`);
  for (const { name } of runs[0]) {
    const rows = runs.map((run) => run.find((row) => row.name === name)).filter(Boolean);
    say(`| ${cells(columns, rows, names).join(' | ')} |`);
  }
  say();
}

/** @param {Columns} columns @param {Row[]} rows one of each run @param {string[]} names */
function cells({ facts = [], keys, compared = keys, format = ms }, rows, names) {
  const [own, ...others] = names;
  const [first] = rows;
  const rounds = (who, key) => rows.map((row) => row.figures[who][key]);
  const took = (who) => keys.map((key) => figure(rounds(who, key).map(median), format)).join(' / ');
  const opens = (who) => first.refused?.[who] === undefined && first.figures[who] !== undefined;
  const age = (who) => (opens(who) ? ms(median(rows.map((row) => row.ages[who]))) : '–');
  return [
    first.name,
    ...(first.facts ?? []).slice(0, facts.length),
    ...names.map((who) => (opens(who) ? took(who) : shorten(first.refused?.[who]))),
    ...others.flatMap((who) => compared.map((key) => (opens(who) ? ratio(rounds(own, key), rounds(who, key)) : ''))),
    names.map(age).join(' / '),
  ];
}

/** @param {string | undefined} message of a server, fit for a cell */
function shorten(message) {
  if (message === undefined) return '–';
  const line = message.split('\n')[0].replaceAll('|', '/');
  return `does not open: ${line.length > 80 ? `${line.slice(0, 79)}…` : line}`;
}
