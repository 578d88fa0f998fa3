import { describe, expect, it } from 'vitest';
import { mountPointReader, parseMountInfo, storageOf, storagesTo } from '../../../packages/server/src/paths/look.js';

describe('mount points', () => {
  it('are the fifth field of mountinfo, with blanks as octal numbers', () => {
    const text = [
      '24 31 0:22 / /sys rw,nosuid - sysfs sysfs rw',
      '31 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
      '99 31 0:52 / /mnt/lab\\040data\\134x rw - nfs4 nas:/lab rw',
      '',
    ].join('\n');
    expect(parseMountInfo(text)).toEqual(['/sys', '/', '/mnt/lab data\\x']);
  });

  it.runIf(process.platform === 'linux')('of this machine include the root', () => {
    expect(mountPointReader('linux')()).toContain('/');
  });

  it.runIf(process.platform === 'linux')('are parsed once while nothing is mounted', () => {
    const mountPoints = mountPointReader('linux');
    expect(mountPoints()).toBe(mountPoints());
  });

  it('of other systems are none', () => {
    expect(mountPointReader('darwin')()).toEqual([]);
  });
});

describe('the storage of a path', () => {
  const points = ['/', '/mnt/nas', '/mnt/nas/deep', '/mnt/n'];

  it.each<[string, string, NodeJS.Platform]>([
    ['/data/a.tif', '/', 'linux'],
    ['/mnt/nas/a.tif', '/mnt/nas', 'linux'],
    ['/mnt/nas', '/mnt/nas', 'linux'],
    ['/mnt/nas2/a.tif', '/', 'linux'],
    ['/mnt/nas/deep/a.tif', '/mnt/nas/deep', 'linux'],
    ['/Volumes/Lab/a.tif', '/Volumes/Lab', 'darwin'],
    ['/Users/me/a.tif', '/', 'darwin'],
    ['C:\\Data\\a.tif', 'c:\\', 'win32'],
    ['\\\\lab\\share\\a.tif', '\\\\lab\\share\\', 'win32'],
  ])('%s is %s on %s', (path, storage, platform) => expect(storageOf(path, points, platform)).toBe(storage));

  it('comes last of those on the way to it', () => {
    expect(storagesTo('/mnt/nas/deep/a/b.tif', points, 'linux')).toEqual(['/', '/mnt/nas', '/mnt/nas/deep']);
    expect(storagesTo('/data/a.tif', points, 'linux')).toEqual(['/']);
    expect(storagesTo('/Volumes/Lab/a.tif', points, 'darwin')).toEqual(['/', '/Volumes/Lab']);
    expect(storagesTo('C:\\Data\\a.tif', points, 'win32')).toEqual(['c:\\']);
  });

  it('is the root where there is no list', () => expect(storageOf('/a/b.tif', [], 'linux')).toBe('/'));
});
