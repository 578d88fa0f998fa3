import { describe, expect, it } from 'vitest';
import { reader } from '../../../packages/readers/src/formats/oif/index.js';
import { NativeTarget } from '../../../packages/readers/src/model/samples/plane-target.js';
import { folderOnDisk } from '../../../packages/server/src/platform-node/files.js';
import { CountingSource } from '../../support/counting-source.js';
import { frames } from '../../support/oif.js';
import { writeOib } from '../../writers/oif.js';

const PLANES = 40;
const SIDE = 512;
const PLANE_BYTES = SIDE * SIDE * 2;

/** 40 planes of half a megabyte in 512-byte sectors: 41,000 of them. */
function largeOib(): Uint8Array {
  const planes = Array.from({ length: PLANES }, (_, t) => ({
    id: `C001T${String(t + 1).padStart(3, '0')}`,
    rows: SIDE,
    columns: SIDE,
    value: (y: number, x: number) => (t * 100 + y + x) & 0xfff,
    pixel: { width: 0.2, height: 0.2, heightUnit: 'um' },
  }));
  const axes = {
    X: { maxSize: SIDE, unit: 'um' },
    Y: { maxSize: SIDE, unit: 'um' },
    T: { maxSize: PLANES, start: 0, end: 3900, unit: 'ms' },
  };
  return writeOib(frames({ axisOrder: 'XYT', scanMode: 'XYT', channels: ['CHS1'], axes, planes }));
}

describe('opening a 21 MB OIB and reading a plane', () => {
  it('reads the directory and that plane only', async () => {
    const source = new CountingSource(largeOib());
    const probe = {
      name: 'large.oib',
      kind: 'file' as const,
      head: source.read(0, 4096),
      entries: [],
      size: source.size,
    };
    source.reset();
    const acquisition = await reader.open({ probe, source, folder: folderOnDisk('/nowhere') });
    expect(acquisition.info.scenes[0]?.sizes.T).toBe(PLANES);
    // The allocation table has 4 bytes for each of 41,000 sectors; settings and directory take some kilobytes.
    expect(source.bytes).toBeLessThan(4 * (source.size / 512) + 64 * 1024);
    source.reset();
    const target = new NativeTarget('uint16', SIDE, SIDE);
    await acquisition.readPlane({ scene: 0, channel: 0, t: 33, z: 0 }, target);
    expect(target.data[SIDE + 1]).toBe((3300 + 2) & 0xfff);
    expect(source.bytes).toBeLessThan(PLANE_BYTES + 16 * 1024);
    // Neighboring sectors are read together: no read per sector of 512 bytes.
    expect(source.reads).toBeLessThan(40);
  });
});
