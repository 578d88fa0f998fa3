import { describe, expect, it } from 'vitest';
import { readAddress, toAddress, withoutToken } from '../../../packages/viewer/src/app/address.ts';
import { isOurs, mark, visiblePath } from '../../../packages/viewer/src/app/asked-file.ts';
import { looksLikePath, toPath, toPaths } from '../../../packages/viewer/src/app/path-text.ts';
import { type Recent, toRecents, withoutRecent, withRecent } from '../../../packages/viewer/src/app/recents.ts';

describe('the text of a path', () => {
  it.each([
    ['/data/scan.tif', '/data/scan.tif'],
    ['  /data/my scan.tif \n', '/data/my scan.tif'],
    ['"C:\\Users\\Ana\\my scan.oir"', 'C:\\Users\\Ana\\my scan.oir'],
    ["'/data/it is.czi'", '/data/it is.czi'],
    ['“/data/scan.tif”', '/data/scan.tif'],
    ['~/scans/a.lsm', '~/scans/a.lsm'],
    ['/data/my\\ scan\\ \\(2\\).tif', '/data/my scan (2).tif'],
    ['/data/day\\#1/a\\,b\\=\\*\\?.tif', '/data/day#1/a,b=*?.tif'],
    ['/data/a\\b.tif', '/data/a\\b.tif'],
    ['C:\\scans\\(2).tif', 'C:\\scans\\(2).tif'],
    ['file:///data/Gef%C3%A4%C3%9F%20%231.tif', '/data/Gefäß #1.tif'],
    ['file://localhost/data/a.tif', '/data/a.tif'],
    ['file:///C:/scans/a%20b.oif', 'C:/scans/a b.oif'],
    ['file://nas/share/a.tif', '\\\\nas\\share\\a.tif'],
    ['file:///data/100%.tif', 'file:///data/100%.tif'],
    ['"', '"'],
  ])('%s is %s', (text, path) => {
    expect(toPath(text)).toBe(path);
  });

  it('can be a list of addresses or of lines', () => {
    expect(toPaths('# from the file manager\r\nfile:///data/a.tif\r\nfile:///data/b%20c.tif\r\n')).toEqual([
      '/data/a.tif',
      '/data/b c.tif',
    ]);
    expect(toPaths('/a.tif\n\n  "/b.tif"\n')).toEqual(['/a.tif', '/b.tif']);
    expect(toPaths(Array.from({ length: 99 }, (_, i) => `/${i}.tif`).join('\n'))).toHaveLength(8);
  });

  it('is distinguished from other text', () => {
    expect(['/a', '~/a', 'C:\\a', 'd:/a', '\\\\nas\\a'].map(looksLikePath)).toEqual([true, true, true, true, true]);
    expect(['a.tif', 'https://x.org/a.tif', '', '~', 'C:a'].map(looksLikePath)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('recent acquisitions', () => {
  const recent = (path: string) => ({ path, name: path.slice(1), format: 'tif' });

  it('are sorted newest first, with each path once', () => {
    const list = ['/a', '/b', '/a'].reduce((sum, path) => withRecent(sum, recent(path)), [] as readonly Recent[]);
    expect(list.map(({ path }) => path)).toEqual(['/a', '/b']);
    expect(withoutRecent(list, '/a').map(({ path }) => path)).toEqual(['/b']);
  });

  it('are limited in number', () => {
    const paths = Array.from({ length: 40 }, (_, i) => `/${i}`);
    expect(paths.reduce((sum, path) => withRecent(sum, recent(path)), [] as readonly Recent[])).toHaveLength(15);
  });

  it('skip invalid entries', () => {
    const good = { ...recent('/a'), selection: { T: 2 }, channels: [1] };
    const bad = [
      null,
      3,
      {},
      { path: '/a' },
      { ...recent('/b'), selection: { Y: 1 } },
      { ...recent('/c'), channels: [] },
    ];
    expect(toRecents([good, ...bad])).toEqual([good]);
    expect(toRecents('x')).toEqual([]);
  });

  it('keep what the user said of the planes, as far as it is valid', () => {
    const said = { ...recent('/a'), interpret: { axes: { T: 7, C: 2 }, order: ['C', 'T'] } };
    expect(toRecents([said, { ...recent('/b'), interpret: { axes: { T: -1 } } }])).toEqual([said, recent('/b')]);
  });
});

describe('the address', () => {
  it('contains a path, a session, a token and a view', () => {
    expect(readAddress({ search: '?path=/data/a%20b.tif', hash: '' })).toMatchObject({
      path: '/data/a b.tif',
      view: null,
    });
    expect(readAddress({ search: '?session=abc', hash: '#token=s3cret' })).toMatchObject({
      session: 'abc',
      token: 's3cret',
      path: null,
      brokenView: false,
    });
    expect(readAddress({ search: '', hash: '#view=nonsense' })).toMatchObject({ view: null, brokenView: true });
  });

  it('is read as it was written', () => {
    const view = { source: { views: {}, displays: {}, toggles: { axes: false }, marks: [] } };
    const path = '/data/100% & #2?.tif';
    const [search, hash] = toAddress(path, view).split('#') as [string, string];
    expect(readAddress({ search, hash: `#${hash}` })).toMatchObject({ path, view });
    expect(toAddress('/data/a.tif', null)).toBe('?path=/data/a.tif');
    expect(toAddress(null, null)).toBe('');
  });
  it('keeps everything except the token', () => {
    const at = (search: string, hash: string) => withoutToken({ pathname: '/demo/v2/', search, hash });
    expect(at('?path=/a%20b', '#token=s3cret')).toBe('/demo/v2/?path=/a%20b');
    expect(at('?path=/a', '#view=e30&token=s3cret')).toBe('/demo/v2/?path=/a#view=e30');
    expect(at('', '')).toBe('/demo/v2/');
  });

  it('is distinguished from one that another site wrote', () => {
    expect(isOurs('/a.tif', mark('/a.tif'))).toBe(true);
    for (const state of [null, undefined, '/a.tif', {}, { opened: true }, mark('/b.tif')]) {
      expect(isOurs('/a.tif', state)).toBe(false);
    }
  });

  it('shows invisible characters of a path as escapes', () => {
    expect(visiblePath('/data/Gefäß 1.tif')).toBe('/data/Gefäß 1.tif');
    expect(visiblePath('/a\u202efit.oir\n\u200b\0')).toBe('/a\\u202efit.oir\\u000a\\u200b\\u0000');
  });
});
