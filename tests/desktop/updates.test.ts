/** What looks for new versions, with a website of the test. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import semver from 'semver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findAddressFault, readRelease } from '../../packages/desktop/src/supervisor/release-file.js';
import { isNewer, isVersion } from '../../packages/desktop/src/supervisor/version.js';
import { LONG } from '../support/long.js';
import { Desk } from '../support/supervisor.js';

const MARKUP = '<img src=x onerror=alert(1)>';
const release = (more: object) => (_: IncomingMessage, response: ServerResponse) => response.end(JSON.stringify(more));
const requests: IncomingMessage[] = [];
let site: Server;
let port: number;

const PAGES: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  newer: release({ version: '1.10.0', url: 'https://lab.example/<b>?a=1&b', notes: MARKUP }),
  same: release({ version: '1.2.3' }),
  older: release({ version: '1.2.3-rc.1' }),
  moved: (_, response) => response.writeHead(302, { location: '/newer' }).end(),
  elsewhere: (_, response) => response.writeHead(302, { location: `http://localhost:${port}/newer` }).end(),
  'other-scheme': (_, response) => response.writeHead(302, { location: 'file:///etc/hostname' }).end(),
  loop: (_, response) => response.writeHead(301, { location: '/loop' }).end(),
  missing: (_, response) => response.writeHead(404).end('{"version":"9.0.0"}'),
  garbage: (_, response) => response.end('<!doctype html>'),
  list: release([{ version: '9.0.0' }]),
  markup: release({ version: MARKUP }),
  long: release({ version: `1.2.4-${'a'.repeat(1000)}` }),
  number: release({ version: 9 }),
  script: release({ version: '9.0.0', url: 'javascript:alert(1)' }),
  plain: release({ version: '9.0.0', url: 'http://lab.example/' }),
  password: release({ version: '9.0.0', url: 'https://lab.example@evil.example/' }),
  'only-password': release({ version: '9.0.0', url: 'https://:secret@lab.example/' }),
  variable: release({ version: '9.0.0', url: 'https://lab.example/?%PATH%' }),
  pipe: release({ version: '9.0.0', url: 'https://lab.example/?a|calc' }),
  caret: release({ version: '9.0.0', url: 'https://lab.example/#^&calc' }),
  endless: (_, response) => {
    const more = () => response.writable && response.write('x'.repeat(64 * 1024), () => setImmediate(more));
    more();
  },
  slow: (_, response) => {
    response.write('{');
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
  silent: () => {},
  closed: (request) => request.destroy(),
};

beforeAll(async () => {
  site = createServer((request, response) => {
    requests.push(request);
    PAGES[request.url!.slice(1)]!(request, response);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  ({ port } = site.address() as AddressInfo);
});
afterAll(() => {
  site.closeAllConnections();
  site.close();
});
beforeEach(() => {
  requests.length = 0;
});

const at = (page: string) => `http://127.0.0.1:${port}/${page}`;

describe('versions', () => {
  const versions = [
    ...['0.0.0', '0.1.0', '1.0.0', '1.2.3', '1.2.10', '1.10.0', '2.0.0', '10.0.0', '1.2.3+build.5', '1.0.0-0'],
    ...[
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
    ],
  ];

  it('are in the order of the semver package', () => {
    for (const a of versions) {
      for (const b of versions) expect(isNewer(a, b), `${a} > ${b}`).toBe(semver.gt(a, b));
    }
  });

  it.each([
    '',
    '1',
    '1.2',
    'v1.2.3',
    '01.2.3',
    '1.2.3-',
    '1.2.3-a..b',
    '1.2.3 ',
    ' 1.2.3',
    '1.2.3\n',
    '１.2.3',
    '1.2.-3',
  ])('%j is not one, and never newer', (text) => {
    expect(isVersion(text)).toBe(false);
    expect(isNewer(text, '0.0.1')).toBe(false);
    expect(isNewer('9.9.9', text)).toBe(false);
  });
});

describe('the file with the latest version', () => {
  it.each([
    ['newer', { version: '1.10.0', url: 'https://lab.example/%3Cb%3E?a=1&b' }],
    ['moved', { version: '1.10.0', url: 'https://lab.example/%3Cb%3E?a=1&b' }],
    ['script', { version: '9.0.0' }],
    ['plain', { version: '9.0.0' }],
    ['password', { version: '9.0.0' }],
    ['only-password', { version: '9.0.0' }],
    ['variable', { version: '9.0.0' }],
    ['pipe', { version: '9.0.0' }],
    ['caret', { version: '9.0.0' }],
  ])('at /%s is read', async (page, expected) => {
    expect(await readRelease(at(page), 5_000)).toEqual(expected);
  });

  it.each([
    ['elsewhere', 'The address leads to another website, which was not asked.'],
    ['other-scheme', 'The address leads to another website, which was not asked.'],
    ['loop', 'The address leads to too many others.'],
    ['missing', 'The website answered with status 404.'],
    ['garbage', 'The answer does not contain a version.'],
    ['list', 'The answer does not contain a version.'],
    ['markup', 'The answer does not contain a version.'],
    ['long', 'The answer does not contain a version.'],
    ['number', 'The answer does not contain a version.'],
    ['endless', 'The answer is larger than 64 KiB.'],
    ['slow', 'There was no complete answer within 0.4 s.'],
    ['silent', 'There was no complete answer within 0.4 s.'],
    ['closed', 'The website cannot be reached: socket hang up.'],
  ])('at /%s is refused: %s', async (page, message) => {
    const milliseconds = message.includes('0.4 s') ? 400 : 5_000;
    await expect(readRelease(at(page), milliseconds)).rejects.toThrow(message);
    expect(requests.filter(({ headers }) => headers.host !== `127.0.0.1:${port}`)).toEqual([]);
  });

  it('is asked for without telling who asks', async () => {
    await readRelease(at('newer'), 5_000);
    expect(requests.map(({ method, url, headers }) => ({ method, url, headers }))).toEqual([
      {
        method: 'GET',
        url: '/newer',
        headers: { accept: 'application/json', host: `127.0.0.1:${port}`, connection: 'close' },
      },
    ]);
  });

  it.each([
    ...[
      'http://lab.example/v.json',
      'ftp://lab.example',
      'file:///etc/hostname',
      'javascript:alert(1)',
      'lab.example',
      '',
    ],
    ...[
      'https://user:secret@lab.example/',
      'http://127.0.0.1.evil.example/',
      `https://lab.example/${'a'.repeat(3000)}`,
    ],
  ])('cannot be at %.40s', async (address) => {
    expect(findAddressFault(address)).toMatch(/address/);
    await expect(readRelease(address, 1_000)).rejects.toThrow(/address/);
  });
});

describe('the application', () => {
  let desk: Desk;
  const viewers: string[] = [];
  const file = () => join(desk.folder, 'desktop.json');
  const stored = () => JSON.parse(readFileSync(file(), 'utf8')) as object;
  const start = async (settings?: object) => {
    if (settings) writeFileSync(file(), JSON.stringify(settings));
    await desk.start({ onViewer: async (url) => void viewers.push(url), version: '1.2.3' });
    await desk.until('running');
  };
  const until = (name: string) => expect.poll(() => desk.state.updates.result.name).toBe(name);
  beforeEach(() => {
    desk = new Desk();
  });
  afterEach(() => desk.close());

  it('has no address, asks nothing and looks for nothing by itself', async () => {
    await start();
    expect(desk.state.updates).toEqual({ address: '', check: 'unasked', result: { name: 'none' } });
    await desk.post('updates/check');
    expect(existsSync(file())).toBe(false);
  });

  it('looks for nothing before the user says so, and remembers the answer', async () => {
    await start({ 'update-address': at('newer'), note: 'kept' });
    expect(desk.state.updates).toMatchObject({ check: 'unasked' });
    await desk.post('updates/wanted', { wanted: false });
    expect(stored()).toEqual({ 'update-address': at('newer'), note: 'kept', 'check-for-updates': false });
    await desk.post('updates/address', { address: at('same') });
    expect(requests).toEqual([]);
    expect((await desk.post('updates/open')).status).toBe(400);
    await desk.post('updates/wanted', { wanted: true });
    await until('current');
    await desk.post('updates/address', { address: at('newer') });
    await until('newer');
    expect(desk.state.updates.result).toMatchObject({ version: '1.10.0', url: 'https://lab.example/%3Cb%3E?a=1&b' });
    await desk.post('updates/open');
    expect(viewers).toEqual(['https://lab.example/%3Cb%3E?a=1&b']);
    await desk.post('updates/address', { address: '' });
    await expect.poll(() => desk.state.updates).toEqual({ address: '', check: 'yes', result: { name: 'none' } });
  });

  it.each([
    ['newer', 'newer'],
    ['older', 'current'],
    ['missing', 'failed'],
  ])('looks at its start where the user wants that: /%s is %s', async (page, name) => {
    await start({ 'update-address': at(page), 'check-for-updates': true });
    await until(name);
    expect(requests).toHaveLength(1);
  });

  it.runIf(LONG)('ignores an address in its file that is not safe, and refuses one from the page', async () => {
    await start({ 'update-address': 'http://lab.example/', 'check-for-updates': true });
    expect(desk.state.updates).toMatchObject({ address: '', check: 'yes' });
    for (const address of ['http://lab.example/', 'nothing', 5, null]) {
      expect(await desk.post('updates/address', { address }), String(address)).toMatchObject({ status: 400 });
    }
    expect(stored()).toMatchObject({ 'update-address': 'http://lab.example/' });
  });
});
