import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';

/**
 * Readers run in Node, in a page and in other programs. The package is compiled without the types of Node and of the DOM; this
 * test says what to use instead.
 */
const ROOT = resolve(REPOSITORY, 'packages/readers/src');

const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/^node:fs/, 'take files from `Folder` and `ByteSource` (io/), which the platform implements'],
  [/^node:path/, 'use io/paths.ts'],
  [/^node:(buffer|util)/, 'use Uint8Array, and base/bytes.ts for text and searches'],
  [/^node:zlib/, 'use codecs/, or `platform().inflate`'],
  [/^node:timers/, 'use base/turn.ts'],
  [/./, 'have the caller give what is needed, or add it to `Platform` in base/platform.ts'],
];

const GLOBALS: readonly (readonly [RegExp, string])[] = [
  [/\bBuffer\b/, 'Buffer: use Uint8Array, and base/bytes.ts for text and searches'],
  [/\bprocess\./, 'process: have the caller give what is needed, or add it to `Platform` in base/platform.ts'],
  [/\bimport\.meta\b|\b__dirname\b|\brequire\(/, 'where its file is: load codecs by `platform().wasm`'],
  [/\b(setImmediate|setTimeout)\(/, 'timers: use base/turn.ts'],
];

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesOf(join(path, name)));
}

const files = filesOf(ROOT);

/** Returns what keeps a file from running anywhere, and what to do about it. */
function faultsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, '');
  const specifiers = [...code.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!);
  return [
    ...specifiers.filter(isBuiltin).map((name) => `imports ${name}: ${adviceFor(name)}`),
    ...withoutTexts(code).flatMap((line) =>
      GLOBALS.filter(([pattern]) => pattern.test(line)).map(([, fault]) => `uses ${fault}`),
    ),
  ];
}

/** Returns the lines of code without the texts in them. */
function withoutTexts(code: string): string[] {
  return code.split('\n').map((line) => line.replace(/'(?:[^'\\]|\\.)*'/g, "''"));
}

function adviceFor(name: string): string {
  const full = name.startsWith('node:') ? name : `node:${name}`;
  return INSTEAD.find(([pattern]) => pattern.test(full))![1];
}

describe('readers', () => {
  it('are many files', () => expect(files.length).toBeGreaterThan(300));

  it('run anywhere', () => {
    const faults = files.flatMap((file) =>
      faultsOf(readFileSync(file, 'utf8')).map((fault) => `${relative(ROOT, file)} ${fault}`),
    );
    expect(faults).toEqual([]);
  });

  it.each([
    ["import { readFileSync } from 'node:fs';", /^imports node:fs: take files from `Folder`/],
    ["const { inflateSync } = await import('zlib');", /^imports zlib: use codecs/],
    ["import { platform } from 'node:os';", /^imports node:os: have the caller give/],
    ['const text = Buffer.from(bytes).toString();', /^uses Buffer: use Uint8Array/],
    ["if (process.platform === 'win32') return;", /^uses process: have the caller/],
    ['await new Promise((resolve) => setImmediate(resolve));', /^uses timers: use base\/turn\.ts/],
  ])('are told what to do instead of %s', (code, advice) => {
    expect(faultsOf(code)).toEqual([expect.stringMatching(advice)]);
  });

  it('may talk about what they must not use', () => {
    expect(faultsOf("// Not a Buffer.\n/* process.env */\nconst text = 'process.exit';")).toEqual([]);
  });
});
