import { describe, expect, it } from 'vitest';
import { FileParts } from '../../../packages/viewer/src/export/file-parts.ts';
import { frameSeconds } from '../../../packages/viewer/src/export/movie-choices.ts';
import { Mp4Writer } from '../../../packages/viewer/src/export/mp4.ts';
import { ZipWriter } from '../../../packages/viewer/src/export/zip.ts';
import { toMeasuredAxes } from '../../../packages/viewer/src/model/measured-axis.ts';

describe('a movie', () => {
  it('refuses to grow above its limit, and names it', () => {
    const parts = new FileParts(10_000);
    parts.push(new Uint8Array(10_000));
    expect(() => parts.push(new Uint8Array(1))).toThrow('The file would be larger than 10 kB.');
    const zip = new ZipWriter(new Date(2026, 0, 1), 1000);
    expect(() => zip.add('a.png', new Uint8Array(1000))).toThrow(RangeError);
    const video = new Mp4Writer(1000);
    video.add(new Uint8Array(1000), { duration: 1, key: true });
    expect(() => video.add(new Uint8Array(1), { duration: 1, key: false })).toThrow(RangeError);
  });

  it('shows frames for as long as they were recorded, with long gaps shortened, or at one rate', () => {
    const times = { T: Float64Array.of(0, 0.5, 1, 1.5, 21.5, 22) };
    const axis = { dim: 'T', size: 6, step: 0.5, unit: 'seconds', measured: toMeasuredAxes(times).T ?? null } as const;
    expect([0, 1, 2, 3, 4, 5].map((i) => frameSeconds(axis, i, 'real'))).toEqual([0.5, 0.5, 0.5, 2, 0.5, 0.5]);
    expect(frameSeconds(axis, 3, 20)).toBe(0.05);
  });

  it('is an MP4 whose boxes fill it, with the description before the frames', async () => {
    const video = new Mp4Writer();
    for (let i = 0; i < 3; i++) video.add(Uint8Array.of(i, i), { duration: i < 2 ? 3000 : 90_000, key: i !== 1 });
    const file = video.end({ codec: 'vp09.00.51.08', width: 640, height: 480, description: null, color: null });
    const bytes = Buffer.from(await file.arrayBuffer());
    const boxes: [string, number][] = [];
    for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
      boxes.push([bytes.toString('latin1', at + 4, at + 8), at]);
    }
    expect(boxes.map(([type]) => type)).toEqual(['ftyp', 'moov', 'mdat']);
    const chunk = bytes.readUInt32BE(bytes.indexOf('stco') + 12);
    expect([...bytes.subarray(chunk)]).toEqual([0, 0, 1, 1, 2, 2]);
    // Offsets from the type of a box, as ISO/IEC 14496-12 lists its fields.
    const numbers = (type: string, at: number, count: number) =>
      Array.from({ length: count }, (_, i) => bytes.readUInt32BE(bytes.indexOf(type) + at + 4 * i));
    // 30,000 units per second, 3.2 s, at the recorded rate.
    expect(numbers('mvhd', 16, 3)).toEqual([30_000, 96_000, 0x10000]);
    const matrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
    expect(numbers('tkhd', 44, 11)).toEqual([...matrix, 640 * 0x10000, 480 * 0x10000]);
    expect(numbers('stts', 8, 5)).toEqual([2, 2, 3000, 1, 90_000]);
    expect(numbers('stss', 8, 3)).toEqual([2, 1, 3]);
    expect(numbers('stsz', 8, 5)).toEqual([0, 3, 2, 2, 2]);
  });
});
