import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { interleave } from '../../support/native.js';
import { readAll } from '../../support/tiff-pages.js';
import { JPEG_VECTORS } from '../../writers/jpeg-vectors.js';
import { type PageSpec, type TagSpec, writeTiff } from '../../writers/tiff.js';

const { stream } = JPEG_VECTORS.color;
/** What libtiff 4.7.1 makes of the two files below, as RGB. */
const RGB_OF_LIBTIFF = '389a85d7f896c4084475d23a1535ecdc30e7763e7f32497f394e962b587d064c';
const WIDTH = 26;
const HEIGHT = 21;

interface Segment {
  marker: number;
  content: Uint8Array;
}

/** The segments before the data of the scan. */
function segments(): { list: Segment[]; scan: Uint8Array } {
  const list: Segment[] = [];
  for (let at = 2; ; ) {
    const end = at + 2 + stream.readUInt16BE(at + 2);
    list.push({ marker: stream[at + 1]!, content: stream.subarray(at + 4, end) });
    if (stream[at + 1] === 0xda) return { list, scan: stream.subarray(end, -2) };
    at = end;
  }
}

function page(encode: () => Uint8Array, tags: TagSpec[]): PageSpec {
  const samples = Array.from({ length: 3 }, () => new Uint8Array(WIDTH * HEIGHT));
  const subsampling = { code: 530, type: 3, values: [2, 2] };
  return {
    width: WIDTH,
    height: HEIGHT,
    samples,
    compression: 6,
    photometric: 6,
    encode,
    tags: [...tags, subsampling],
  };
}

/** A file whose tags point behind its end, and what they point to there. */
function withAppended(parts: Uint8Array[], make: (offsets: number[]) => PageSpec): Uint8Array {
  const size = writeTiff({ pages: [make(parts.map(() => 1))] }).length;
  let end = size;
  const offsets = parts.map((part) => {
    const offset = end;
    end += part.length;
    return offset;
  });
  return new Uint8Array(Buffer.concat([writeTiff({ pages: [make(offsets)] }), ...parts]));
}

/** Quantization, DC and AC tables of the three components. */
function tableFile(scan: Uint8Array): Uint8Array {
  const { list } = segments();
  const quantization = list.filter(({ marker }) => marker === 0xdb).map(({ content }) => content.subarray(1));
  const huffman = (kind: number) =>
    list
      .filter(({ marker, content }) => marker === 0xc4 && content[0]! >> 4 === kind)
      .map(({ content }) => content.subarray(1));
  const parts = [quantization, huffman(0), huffman(1)].flatMap(([y, c]) => [y!, c!]);
  return withAppended(parts, (offsets) => {
    const [qy = 0, qc = 0, dy = 0, dc = 0, ay = 0, ac = 0] = offsets;
    return page(
      () => scan,
      [
        { code: 512, type: 3, values: [1] },
        { code: 519, type: 4, values: [qy, qc, qc] },
        { code: 520, type: 4, values: [dy, dc, dc] },
        { code: 521, type: 4, values: [ay, ac, ac] },
      ],
    );
  });
}

function streamFile(bytes: Uint8Array, strip: Uint8Array): Uint8Array {
  return withAppended([bytes], ([offset = 0]) =>
    page(
      () => strip,
      [
        { code: 512, type: 3, values: [1] },
        { code: 513, type: 4, values: [offset] },
        { code: 514, type: 4, values: [bytes.length] },
      ],
    ),
  );
}

async function sha256(file: Uint8Array): Promise<string> {
  return createHash('sha256')
    .update(interleave(await readAll(file)) as Uint8Array)
    .digest('hex');
}

describe('old-style JPEG', () => {
  it('is read with the tables of its tags', async () => {
    expect(await sha256(tableFile(segments().scan))).toBe(RGB_OF_LIBTIFF);
  });

  it('is read from a complete stream anywhere in the file, whatever the strip is', async () => {
    expect(await sha256(streamFile(stream, new Uint8Array(5)))).toBe(RGB_OF_LIBTIFF);
  });

  it('is read from strips without headers, which are elsewhere', async () => {
    const { scan } = segments();
    const headers = stream.subarray(0, stream.length - 2 - scan.length);
    expect(await sha256(streamFile(headers, scan))).toBe(RGB_OF_LIBTIFF);
    expect(await sha256(streamFile(headers, stream))).toBe(RGB_OF_LIBTIFF);
  });

  it.each([
    ['lossless', 512, [14], 'unsupported_format', /old-style JPEG of process 14 is not supported/],
    ['without tables', 519, [400], 'decode_failed', /the tables of its old-style JPEG are missing/],
    ['with tables behind the end', 521, [9e6, 9e6, 9e6], 'decode_failed', /9,000,000/],
  ])('is refused %s', async (_, code, values, error, message) => {
    const file = writeTiff({
      pages: [
        page(
          () => segments().scan,
          [
            { code: 519, type: 4, values: [8, 8, 8] },
            { code: 520, type: 4, values: [8, 8, 8] },
            { code: 521, type: 4, values: [8, 8, 8] },
          ]
            .map((tag) => (tag.code === code ? { ...tag, values } : tag))
            .concat(code === 512 ? [{ code, type: 3, values }] : []),
        ),
      ],
    });
    await expect(readAll(file)).rejects.toMatchObject({ code: error, message: expect.stringMatching(message) });
  });

  it('says that a truncated scan is', async () => {
    await expect(readAll(tableFile(segments().scan.subarray(0, 60)))).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringContaining('a scan ends early'),
    });
  });
});
