import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMMANDS, readRequest } from '../../packages/desktop/src/commands.js';
import { type Actions, createProgram } from '../../packages/server/src/cli/program.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const folder = tempFolder();
const scan = writeTemp(folder, 'my scan #1.czi', '');
writeTemp(folder, 'serve', '');

describe('the arguments of the executable', () => {
  it('ask for the window when there are none', () => {
    expect(readRequest([], folder)).toEqual({ kind: 'window', file: undefined });
  });

  it.each([
    ['an absolute path', scan, scan],
    ['a name in the working folder', 'my scan #1.czi', scan],
    ['an address of a file manager', pathToFileURL(scan).href, scan],
    ['a path with the name of a command', './serve', join(folder, 'serve')],
    // The window says what is wrong with it.
    ['a path that does not exist', './missing.czi', join(folder, 'missing.czi')],
  ])('ask for the window with %s', (_, argument, file) => {
    expect(readRequest([argument], folder)).toEqual({ kind: 'window', file });
  });

  it.each([['--version'], ['-h'], ['serve'], ['inspect', scan], ['srve']])('ask for a command: %s', (...args) => {
    expect(readRequest(args, folder)).toEqual({ kind: 'command' });
  });

  it('know every command of the program', () => {
    const { commands } = createProgram('0', {} as Actions, () => {});
    expect([...commands.map((command) => command.name()), 'help'].sort()).toEqual([...COMMANDS].sort());
  });
});
