import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Crossing, Look } from '../../../packages/server/src/paths/look.js';
import { tempFolder } from '../../support/temp.js';

const base = realpathSync(tempFolder());
const platform = process.platform;
for (const folder of ['local', 'nas', 'nas/sub']) mkdirSync(join(base, folder));
writeFileSync(join(base, 'nas/sub/a.tif'), 'x');
symlinkSync(join(base, 'nas/sub'), join(base, 'local/far'));
symlinkSync('../nas/sub/a.tif', join(base, 'local/relative.tif'));
symlinkSync('nowhere', join(base, 'local/dangling.tif'));
symlinkSync('b', join(base, 'local/a'));
symlinkSync('a', join(base, 'local/b'));

const everywhere = new Look();

describe('a real path', () => {
  it.each(['local/far/a.tif', 'local/relative.tif', 'nas/sub/a.tif', 'nas//sub/./a.tif'])('of %s', (name) => {
    expect(everywhere.realpath(`${base}/${name}`)).toBe(join(base, 'nas/sub/a.tif'));
  });

  it.each([
    ['local/dangling.tif', 'ENOENT'],
    ['local/missing/deeper.tif', 'ENOENT'],
    ['nas/sub/a.tif/below', 'ENOTDIR'],
    ['local/a', 'ELOOP'],
  ])('of %s is %s', (name, code) => {
    expect(() => everywhere.realpath(join(base, name))).toThrow(expect.objectContaining({ code }));
  });

  it('as far as it goes is that of the closest folder', () => {
    expect(everywhere.nearestReal(join(base, 'local/far/missing/deeper.tif'))).toBe(join(base, 'nas/sub'));
    expect(everywhere.nearestReal(join(base, 'local/a/x'))).toBe(join(base, 'local'));
    expect(everywhere.find(join(base, 'local/dangling.tif'))).toBeUndefined();
  });
});

describe('a storage that is not admitted', () => {
  const mountPoints = [base, join(base, 'nas')];

  it.each(['local/far/a.tif', 'local/relative.tif', 'nas/sub/a.tif', 'nas'])('is not touched by way of %s', (name) => {
    const look = new Look(platform, mountPoints, ['/', base]);
    const crossing = new Crossing(join(base, 'nas'));
    expect(() => look.realpath(join(base, name))).toThrow(crossing);
    expect(() => look.nearestReal(join(base, name))).toThrow(crossing);
    expect(() => look.find(join(base, name))).toThrow(crossing);
  });

  it('is touched when it is admitted', () => {
    const look = new Look(platform, mountPoints, ['/', base, join(base, 'nas')]);
    expect(look.realpath(join(base, 'local/far/a.tif'))).toBe(join(base, 'nas/sub/a.tif'));
    expect(look.entry(join(base, 'nas/sub/a.tif')).kind).toBe('file');
  });
});
