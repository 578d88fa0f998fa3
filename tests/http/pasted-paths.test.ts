/** Paths that were pasted with something around them, and files of other kinds: messages name what they are. */
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postOpen } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const base = realpathSync(tempFolder());
const scan = writeTiff({ pages: [{ width: 4, height: 3, samples: new Uint16Array(12) }] });
let server: RunningServer;

beforeAll(async () => {
  mkdirSync(join(base, 'day #1'));
  writeTemp(join(base, 'day #1'), 'a scan.tif', scan);
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: join(base, 'state') });
});
afterAll(() => server.close());

const failure = async (path: string) => {
  const [status, { error, message }] = await postOpen(server.url, { path });
  return { status, error, message };
};

describe.skipIf(process.platform === 'win32')('a pasted path', () => {
  const path = join(base, 'day #1', 'a scan.tif');

  it.each([
    [`"${path}"`, 422, `\`path\` has quotes around it. Send it without them: ${path}`],
    [`'${path}'\n`, 422, `\`path\` has quotes around it. Send it without them: ${path}`],
    [`“${path}”`, 422, `\`path\` has quotes around it. Send it without them: ${path}`],
    [pathToFileURL(path).href, 422, `\`path\` is an address that starts with file:, not a path. Send ${path}`],
    [`  ${path}`, 422, `\`path\` begins or ends with white space or a line break. Send it without: ${path}`],
    [`\u202a${path}`, 422, `\`path\` begins or ends with a character that cannot be seen. Send it without: ${path}`],
    [`\u200b"${path}"\n`, 422, `\`path\` has quotes around it. Send it without them: ${path}`],
    ['C:\\data\\a.tif', 422, '`path` is a path of Windows, but the server runs on another system. Send the path that'],
    ['\\\\nas\\share\\a.tif', 422, '`path` is a path of Windows, but the server runs on another system.'],
    ['data/a.tif', 422, '`path` must be absolute, for example /data/scan.oir'],
    [
      `${path}\n`,
      415,
      `a scan.tif\n: the path begins or ends with white space or a line break. Send it without: ${path}`,
    ],
    [
      `${path} `,
      415,
      `a scan.tif : the path begins or ends with white space or a line break. Send it without: ${path}`,
    ],
    [
      path.replaceAll(/[ #]/g, '\\$&'),
      404,
      `a\\ scan.tif: nothing is at this path. It has backslashes of a shell in it. Send it without: ${path}`,
    ],
    [join(base, 'none.tif'), 404, `none.tif: there is no file or folder at ${join(base, 'none.tif')}. Check the path.`],
  ])('%j is answered with %i', async (sent, status, message) => {
    const answer = await failure(sent);
    expect(answer.status).toBe(status);
    expect(answer.message).toContain(message);
  });

  it('is one in the list of a folder, too', async () => {
    const ask = async (folder: string) => {
      const response = await fetch(`${server.url}/api/v2/folders?path=${encodeURIComponent(folder)}`);
      return ((await response.json()) as { message: string }).message;
    };
    expect(await ask(`"${base}"`)).toContain('has quotes around it');
    expect(await ask(`${base}/day\\ \\#1`)).toContain(`Send it without: ${base}/day #1`);
  });

  it('opens as it is when there is such a file', async () => {
    for (const name of ['"a".tif', "'b'.tif", 'c\\ d.tif', ' e.tif', 'C:\\f.tif']) {
      const odd = writeTemp(base, name, scan);
      expect([name, (await postOpen(server.url, { path: odd }))[0]]).toEqual([name, 200]);
    }
  });
});

describe('a file of another kind', () => {
  const text = (content: string) => new TextEncoder().encode(content);
  const withHead = (...bytes: number[]) => Uint8Array.from([...bytes, ...new Array<number>(600).fill(1)]);

  it.each<[string, Uint8Array, RegExp]>([
    [
      'PNG',
      withHead(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
      /is a PNG image\. Open the file that the microscope/,
    ],
    ['JPEG', withHead(0xff, 0xd8, 0xff, 0xe0), /is a JPEG image\. /],
    ['gzip', gzipSync(scan), /is compressed with gzip\. Unpack it/],
    ['PDF', text('%PDF-1.7\n'), /is a PDF document\. /],
    ['MP4', withHead(0, 0, 0, 0x20, 0x66, 0x74, 0x79, 0x70, 0x69, 0x73, 0x6f, 0x6d), /is a video/],
    ['HTML', text('<!-- share -->\n<!DOCTYPE html>\n<html lang="en">'), /is a web page\. It may be the sign-in page/],
    ['old HTML', text('<HTML><body>'), /is a web page\. /],
    [
      'Git LFS',
      text('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n'),
      /is a Git LFS pointer\. .*git lfs pull/,
    ],
    [
      'AppleDouble',
      withHead(0, 5, 0x16, 7, 0, 2, 0, 0),
      /is an AppleDouble file.* Open the file of the same name without `\._`/,
    ],
    ['shortcut', withHead(0x4c, 0, 0, 0, 1, 0x14, 2, 0), /is a Windows shortcut\. Open the file that it leads to/],
    ['alias', text('book\0\0\0\0mark\0\0\0\0'), /is an alias of macOS\. /],
    ['empty', new Uint8Array(), /is empty \(0 bytes\)/],
    ['other', text('hello'), /the content is not that of a \.tif file/],
  ])('is named by its content: %s', async (kind, bytes, message) => {
    const path = writeTemp(base, `${kind}.tif`, bytes);
    expect(await failure(path)).toEqual({
      status: 415,
      error: 'unsupported_format',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['photo.PNG', /^photo\.PNG: seems to be a PNG image, by its name\. Open the file that the microscope wrote/],
    ['scan.tif.gz', /^scan\.tif\.gz: seems to be compressed with gzip, by its name\. Unpack it/],
    ['scan.tif.lnk', /^scan\.tif\.lnk: seems to be a Windows shortcut, by its name/],
    ['notes.docx', /^notes\.docx: \.docx is not the extension of a supported format/],
  ])('is named by its extension: %s', async (name, message) => {
    // Whether it exists makes no difference.
    const missing = await failure(join(base, name));
    expect(missing).toEqual({ status: 415, error: 'unsupported_format', message: expect.stringMatching(message) });
    expect(await failure(writeTemp(base, name, 'x'))).toEqual(missing);
  });
});
