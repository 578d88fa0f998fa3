/** What messages of the server say to an assistant, in place of what they say to a person or a program. */
import { expect, it } from 'vitest';
import { toOutputError } from '../../packages/readers/src/derive/writers/output-error.js';
import { forAssistant, forExport } from '../../packages/server/src/cli/mcp/wording.js';
import { checkPathForm } from '../../packages/server/src/paths/policy.js';

function messageOf(action: () => void): string {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
}

it('a network share', () => {
  const path = '\\\\lab\\share\\scan.tif';
  const message = messageOf(() => checkPathForm(path, { roots: [], platform: 'win32' }, false));
  expect(message).toContain('use the file dialog');
  expect(forAssistant(message)).toBe(
    `scan.tif: ${path} is on a network share. Ask the user to map the share to a drive, or to add it to the roots (--root).`,
  );
});

it('an output, whose options have other names', () => {
  const messageFor = (code: string) =>
    forExport((toOutputError('a.npy', Object.assign(new Error(code), { code, syscall: 'open' })) as Error).message);
  expect(messageFor('EACCES')).toBe(
    'a.npy cannot be written (EACCES). Choose a folder that you may write to (--export-folder).',
  );
  expect(messageFor('EEXIST')).toBe('a.npy already exists. Choose another name, or add `overwrite`.');
});

it('other messages, as they are', () => {
  for (const message of ['scan.tif is truncated.', '', 'Use the file dialog for it. No.']) {
    expect(forAssistant(message)).toBe(message);
  }
});
