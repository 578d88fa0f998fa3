import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { OpenedAcquisition } from '../../../packages/server/src/open.js';
import { expectedPlane, expectSamePlane, openFiles, servedPlane, servedReference } from '../../support/open-files.js';
import { tempFolder } from '../../support/temp.js';
import { ascii, concat, OirBuilder } from '../../writers/oir.js';
import { oirVector } from '../../writers/oir-vector.js';

const folder = tempFolder();
const open = (bytes: Uint8Array, name = 'mini.oir') => openFiles(folder, { [name]: bytes });

/** Offsets and kinds as the fact sheet lists them. */
const BLOCKS = [96, 211, 278, 318, 385, 425, 908, 975, 1015, 1082, 1122, 1189, 1213, 1280, 1304, 1312];

async function expectVector(opened: OpenedAcquisition, warnings: RegExp[] = []): Promise<void> {
  const [scene] = opened.acquisition.info.scenes;
  expect(scene?.channels).toEqual([{ name: 'CH1' }, { name: 'CH2' }]);
  expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 6, X: 4 });
  expect(scene?.sampleType).toBe('uint16');
  expect(scene?.steps.Y).toEqual({ step: 0.001142, unit: 'seconds', origin: 'file' });
  expect(scene?.steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
  expect([scene?.date, scene?.time]).toEqual(['20250728', '15:36:14']);
  for (const channel of [0, 1]) {
    expectSamePlane(
      await servedPlane(opened, { channel }),
      expectedPlane(6, 4, (y, x) => 1000 * (channel + 1) + 10 * y + x),
    );
    expectSamePlane(
      await servedReference(opened, channel),
      expectedPlane(4, 4, (y, x) => 5000 * (channel + 1) + 10 * y + x),
    );
  }
  expect(scene?.reference?.lineRoi).toEqual([0.5, 1, 3, 2.5]);
  expect(scene?.reference?.scanPath).toEqual({ x: [0.5, 3], y: [1, 2.5] });
  expect(scene?.reference?.steps.Y).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
  expect(scene?.warnings).toHaveLength(warnings.length);
  for (const [i, warning] of warnings.entries()) expect(scene?.warnings[i]).toMatch(warning);
  opened.close();
}

describe('the OIR vector of the fact sheet', () => {
  it('is the file that the sheet describes', () => {
    const bytes = oirVector();
    expect(bytes.length).toBe(4251);
    expect(crc32(bytes).toString(16)).toBe('fdcf2758');
  });

  it('reads as the sheet lists it', async () => expectVector(await open(oirVector())));

  it('reads along the chain when the index is not written yet', async () => {
    const bytes = oirVector();
    bytes.fill(0, 40, 52);
    await expectVector(await open(bytes), [
      /^mini\.oir: the block index is missing, as in a file that is still being recorded; found 16 blocks/,
    ]);
  });

  it.each([
    ['points outside the file', 40, 1_000_000],
    ['has no marker where it should be', 40, 4000],
    ['counts more blocks than it has entries', 48, 17],
    ['counts fewer blocks than there are', 48, 15],
  ])('reads along the chain when the index %s', async (_, offset, value) => {
    const bytes = oirVector();
    new DataView(bytes.buffer).setUint32(offset, value, true);
    await expectVector(await open(bytes), [/^mini\.oir: the block index does not match the file; found 16 blocks/]);
  });

  it.each(BLOCKS.slice(1, -1).map((_, i) => i + 1))('finds that entry %i of the index is wrong', async (entry) => {
    const bytes = oirVector();
    new DataView(bytes.buffer).setUint32(4119 + 4 + entry * 8, BLOCKS[entry]! + 8, true);
    await expectVector(await open(bytes), [/^mini\.oir: the block index does not match the file/]);
  });

  it('ignores bytes after the recorded end', async () => {
    await expectVector(await open(concat([oirVector(), new Uint8Array(100).fill(0xa5)])));
  });

  it('places bands by number when their offsets are all zero', async () => {
    const bytes = oirVector();
    for (const offset of [908, 1015, 1122, 1213]) new DataView(bytes.buffer).setUint32(offset + 8, 0, true);
    await expectVector(await open(bytes));
  });

  it('places bands by offset when they come in another order', async () => {
    const bytes = oirVector();
    const [early, late] = [bytes.slice(908, 1015), bytes.slice(1122, 1213)];
    const between = bytes.slice(1015, 1122);
    const blocks = [late, between, early];
    const moved = oirVector();
    moved.set(concat(blocks), 908);
    // The index still has the old offsets, and is not used.
    await expectVector(await open(moved), [/index does not match/]);
  });

  it('takes axes in any order and of any number of digits', async () => {
    const renamed = rebuild((name) => name.replace('t001', 'z001t12561'));
    await expectVector(await open(renamed), [
      /^Some time points \(T\) are missing from the files\. .* numbers 12561 in the recording\.$/,
    ]);
  });

  it('reads a part of the bands from a continuation', async () => {
    const main = rebuild(
      (name) => name,
      (block) => block < 10 || block > 13,
    );
    const part = rebuild(
      (name) => name,
      (block) => block >= 10 && block <= 13,
    );
    await expectVector(await openFiles(folder, { 'mini.oir': main, mini_00001: part }));
  });

  it('parses a document with characters that XML forbids', async () => {
    const bytes = oirVector();
    const text = new TextDecoder('latin1').decode(bytes);
    bytes.set(ascii('&#0;\u0001\u0002 '), text.indexOf('Galvano</lsmimage:scannerType>'));
    await expectVector(await open(bytes));
  });

  it('shows the lines that both channels have when it is truncated inside the last band', async () => {
    const opened = await open(oirVector().subarray(0, 1300));
    const [scene] = opened.acquisition.info.scenes;
    // 12 of the 16 bytes of the band at 1280 are available: line 5 of channel 2 is incomplete.
    expect(scene?.sizes).toEqual({ T: 1, Z: 1, Y: 5, X: 4 });
    expect(scene?.channels).toEqual([{ name: 'CH1' }, { name: 'CH2' }]);
    expect(scene?.steps.Y).toEqual({ step: 1, unit: 'Pixels', origin: 'default' });
    expectSamePlane(
      await servedPlane(opened, { channel: 1 }),
      expectedPlane(5, 4, (y, x) => 2000 + 10 * y + x),
    );
    expect(scene?.warnings.join('\n')).toMatch(/the file is truncated: it has 1,300 of 4,251 bytes/);
    expect(scene?.warnings.join('\n')).toMatch(
      /^Channel 2: data are missing after line 5; 1 line from there on was skipped\.$/m,
    );
    opened.close();
  });
});

/** The vector's blocks written anew, with other names or only some of them. */
function rebuild(rename: (name: string) => string, keep: (block: number) => boolean = () => true): Uint8Array {
  const bytes = oirVector();
  const view = new DataView(bytes.buffer);
  const builder = new OirBuilder();
  for (const [i, offset] of BLOCKS.entries()) {
    const kind = view.getUint32(offset + 4, true);
    const payload = bytes.slice(offset + 8, offset + 8 + view.getUint32(offset, true));
    if (!keep(i)) continue;
    if (kind !== 3) builder.block(kind, payload);
    else {
      const name = ascii(rename(new TextDecoder().decode(payload.subarray(12))));
      const tag = concat([payload.subarray(0, 12), name]);
      new DataView(tag.buffer).setUint32(8, name.length, true);
      builder.block(3, tag);
    }
  }
  return builder.finish();
}
