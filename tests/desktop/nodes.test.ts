import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { checkIntegrity, fetchNode } from '../../packages/desktop/build/nodes.mjs';
import { tempFolder, writeTemp } from '../support/temp.js';

const folder = tempFolder();

it('a Node that is not the pinned one does not become part of the desktop application', () => {
  const path = writeTemp(folder, 'node.tgz', 'not Node');
  const actual = `sha512-${createHash('sha512').update('not Node').digest('base64')}`;
  expect(() => checkIntegrity(path, actual)).not.toThrow();
  expect(() => checkIntegrity(path, `sha512-${'A'.repeat(86)}==`)).toThrow(/node\.tgz: is not the file/);
});

it('only the targets of the table can be built', () => {
  expect(() => fetchNode('plan9-mips')).toThrow('plan9-mips: not a target; choose one of linux-x64, linux-arm64');
});
