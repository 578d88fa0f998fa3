/** Writes MP4 files of one video track that was encoded elsewhere. (ISO/IEC 14496-12, -14 and -15; VP9 in ISOBMFF.) */
import type { Size } from '../model/geometry.ts';
import { type BytesPart, bytesOf, u16, u32 } from './bytes.ts';
import { FileParts } from './file-parts.ts';

/** Units of time per second, in which all rates of the page are exact. */
export const TIMESCALE = 30_000;

export interface VideoTrack extends Size {
  /** As in WebCodecs: `avc1.…` or `vp09.…`. */
  readonly codec: string;
  /** The parameters that H.264 needs; ignored for VP9. */
  readonly description: Uint8Array | null;
  /** Numbers of ISO/IEC 23091-2: primaries, transfer, matrix, and whether all 256 values are used; null when not known. */
  readonly color: { readonly primaries: number; readonly transfer: number; matrix: number; full: boolean } | null;
}

interface Sample {
  readonly bytes: number;
  /** In units of `TIMESCALE`. */
  readonly duration: number;
  readonly key: boolean;
}

/** Takes encoded frames in the order in which they are shown. */
export class Mp4Writer {
  readonly #data: FileParts;
  readonly #samples: Sample[] = [];

  constructor(limit?: number) {
    this.#data = new FileParts(limit);
  }

  get frames(): number {
    return this.#samples.length;
  }

  /** @throws RangeError when the file would be too large */
  add(frame: Uint8Array<ArrayBuffer>, { duration, key }: Omit<Sample, 'bytes'>): void {
    this.#samples.push({ bytes: frame.length, duration, key });
    this.#data.push(frame);
  }

  /** Returns the file. What describes the video comes first, so that a page can play it while it arrives. */
  end(track: VideoTrack): Blob {
    const head = box('ftyp', text('isom'), u32(0x200), text('isomiso2mp41'));
    const size = movie(track, this.#samples, 0).length;
    const offset = head.length + size + 8;
    const mdat = bytesOf(u32(8 + this.#data.size), text('mdat'));
    return this.#data.blob('video/mp4', [head, movie(track, this.#samples, offset), mdat]);
  }
}

type Bytes = Uint8Array<ArrayBuffer>;
const text = (letters: string) => [...letters].map((letter) => letter.charCodeAt(0));
const zeros = (count: number) => new Uint8Array(count);

function box(type: string, ...parts: readonly BytesPart[]): Bytes {
  const size = parts.reduce((sum, { length }) => sum + length, 8);
  return bytesOf(u32(size), text(type), ...parts);
}

/** A box with a version, which is 0, and flags. */
const full = (type: string, flags: number, ...parts: readonly BytesPart[]) => box(type, u32(flags), ...parts);

/** No rotation, no scaling. */
const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

function movie(track: VideoTrack, samples: readonly Sample[], offset: number): Bytes {
  const duration = samples.reduce((sum, sample) => sum + sample.duration, 0);
  const rate = u32(0x10000);
  const volume = u16(0x100);
  return box(
    'moov',
    full('mvhd', 0, u32(0, 0, TIMESCALE, duration), rate, volume, zeros(10), MATRIX, zeros(24), u32(2)),
    box(
      'trak',
      full('tkhd', 3, u32(0, 0, 1, 0, duration), zeros(16), MATRIX, u32(track.width * 0x10000, track.height * 0x10000)),
      box(
        'mdia',
        // 0x55c4: language not determined.
        full('mdhd', 0, u32(0, 0, TIMESCALE, duration), u16(0x55c4, 0)),
        full('hdlr', 0, u32(0), text('vide'), zeros(12), text('Video\0')),
        box(
          'minf',
          full('vmhd', 1, zeros(8)),
          box('dinf', full('dref', 0, u32(1), full('url ', 1))),
          sampleTable(track, samples, offset),
        ),
      ),
    ),
  );
}

function sampleTable(track: VideoTrack, samples: readonly Sample[], offset: number): Bytes {
  const runs: [count: number, duration: number][] = [];
  for (const { duration } of samples) {
    const last = runs.at(-1);
    if (last?.[1] === duration) last[0] += 1;
    else runs.push([1, duration]);
  }
  const keys = samples.flatMap(({ key }, i) => (key ? [i + 1] : []));
  const sizes = samples.map(({ bytes }) => bytes);
  return box(
    'stbl',
    full('stsd', 0, u32(1), entry(track)),
    full('stts', 0, u32(runs.length), list(runs.flat())),
    full('stss', 0, u32(keys.length), list(keys)),
    // One chunk with all samples.
    full('stsc', 0, u32(1, 1, samples.length, 1)),
    full('stsz', 0, u32(0, sizes.length), list(sizes)),
    full('stco', 0, u32(1, offset)),
  );
}

function list(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    view.setUint32(4 * i, value);
  });
  return bytes;
}

function entry({ codec, description, color, width, height }: VideoTrack): Bytes {
  const isAvc = codec.startsWith('avc1');
  if (isAvc && description === null) throw new Error('The encoder did not describe its H.264 video.');
  const about = isAvc ? box('avcC', description ?? []) : full('vpcC', 1 << 24, vp9(codec, color));
  const colr = color
    ? box('colr', text('nclx'), u16(color.primaries, color.transfer, color.matrix), [color.full ? 128 : 0])
    : zeros(0);
  const dpi72 = u32(0x480000, 0x480000);
  const visual = bytesOf(u16(width, height), dpi72, u32(0), u16(1), zeros(32), u16(24, 0xffff));
  return box(isAvc ? 'avc1' : 'vp09', zeros(6), u16(1), zeros(16), visual, about, colr);
}

/** Profile, level, and 8 bits with half the colors in each direction; then how colors are stored. */
function vp9(codec: string, color: VideoTrack['color']): number[] {
  const [, profile = 0, level = 10] = codec.split('.').map(Number);
  const { primaries, transfer, matrix, full: all } = color ?? { primaries: 2, transfer: 2, matrix: 2, full: false };
  return [profile, level, (8 << 4) | (1 << 1) | (all ? 1 : 0), primaries, transfer, matrix, 0, 0];
}
