import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readNamesAgain } from '../../../packages/server/src/platform-node/listed-names.js';
import { tempFolder } from '../../support/temp.js';

const LONG_AGO = new Date('2026-01-01');

/** A folder with many names, which was not changed for long. */
function settledFolder(): string {
  const folder = join(tempFolder(), 'day');
  mkdirSync(folder);
  for (let i = 0; i < 100; i++) writeFileSync(join(folder, `${i}.tif`), '');
  utimesSync(folder, LONG_AGO, LONG_AGO);
  return folder;
}

it('reads the names of a folder once, until something is added', () => {
  const folder = settledFolder();
  const names = readNamesAgain(folder, folder);
  expect(names).toHaveLength(100);
  expect(readNamesAgain(folder, folder)).toBe(names);
  writeFileSync(join(folder, 'new.tif'), '');
  expect(readNamesAgain(folder, folder)).toContain('new.tif');
});

it('notices a name that was added in the same tick, also when the time of the folder is set back', () => {
  const folder = settledFolder();
  const names = readNamesAgain(folder, folder);
  writeFileSync(join(folder, 'new.tif'), '');
  utimesSync(folder, LONG_AGO, LONG_AGO);
  expect(readNamesAgain(folder, folder)).not.toBe(names);
  expect(readNamesAgain(folder, folder)).toContain('new.tif');
});

it('reads a folder again that has just changed', () => {
  const folder = settledFolder();
  writeFileSync(join(folder, 'a.tif'), '');
  const names = readNamesAgain(folder, folder);
  expect(readNamesAgain(folder, folder)).not.toBe(names);
});

it('does not take another folder for the one that was at the path before', () => {
  const folder = settledFolder();
  const names = readNamesAgain(folder, folder);
  const other = settledFolder();
  renameSync(folder, `${folder} old`);
  renameSync(other, folder);
  expect(readNamesAgain(folder, folder)).not.toBe(names);
});
