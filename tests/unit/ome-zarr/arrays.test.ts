import { describe, expect, it } from 'vitest';
import { type Counts, openFiles, openZip, planeOf, smallImage, stack } from '../../support/ome-zarr.js';
import {
  type ArraySpec,
  axis,
  type ByteCodec,
  blosc,
  CRC32C,
  GZIP,
  type ImageSpec,
  imageFiles,
  json,
  LZ4_BLOCK,
  ZLIB,
  ZSTD,
  zipStore,
} from '../../writers/ome-zarr.js';

/** What the writer was told to put at every place of a plane. */
function wanted(spec: ImageSpec, [t, c, z]: number[]): number[] {
  const [rows, columns] = spec.shape.slice(-2) as [number, number];
  return Array.from({ length: rows * columns }, (_, i) =>
    Number(spec.value([t as number, c as number, z as number, Math.floor(i / columns), i % columns])),
  );
}

async function expectStack(over: Partial<ImageSpec>): Promise<void> {
  const spec = stack(over);
  const acquisition = openFiles(await imageFiles(spec));
  for (const [t, c, z] of [
    [0, 0, 0],
    [1, 2, 1],
    [0, 1, 1],
  ] as const) {
    expect([...(await planeOf(acquisition, { t, channel: c, z }))]).toEqual(wanted(spec, [t, c, z]));
  }
}

describe('the vector of the fact sheet', () => {
  it('has the fill value where no chunk is stored', async () => {
    const acquisition = openFiles(await imageFiles(smallImage()));
    expect([...(await planeOf(acquisition))]).toEqual([0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 7]);
    const [scene] = acquisition.info.scenes;
    expect(scene?.steps.Y).toEqual({ step: 0.5, unit: 'micrometer', origin: 'file' });
    expect(scene?.steps.X).toEqual({ step: 0.25, unit: 'micrometer', origin: 'file' });
    expect(scene?.channels).toEqual([{ name: 'GFP', color: '#00FF00', window: { start: 0, end: 255 } }]);
    expect(scene?.warnings).toEqual([]);
  });

  it('of a shard is read to the byte', async () => {
    const hex =
      '01000200050006000000000000000000' + '0800000000000000' + 'ffffffffffffffff' + 'ffffffffffffffff' + '1559ede7';
    const spec: ImageSpec = {
      version: 3,
      type: 'uint16',
      shape: [2, 4],
      chunks: [2, 4],
      inner: { chunks: [2, 2] },
      fill: 42,
      value: () => 0,
      axes: [axis('y'), axis('x')],
    };
    const files = await imageFiles(spec);
    files.set('0/c/0/0', Uint8Array.from(Buffer.from(hex, 'hex')));
    expect([...(await planeOf(openFiles(files)))]).toEqual([1, 2, 42, 42, 5, 6, 42, 42]);
  });
});

describe('compression', () => {
  const codecs: [string, ByteCodec[]][] = [
    ['none', []],
    ['gzip', [GZIP]],
    ['zlib', [ZLIB]],
    ['zstd', [ZSTD]],
    ['lz4', [LZ4_BLOCK]],
    ['blosc lz4', [blosc()]],
    ['blosc zstd, bit shuffle', [blosc('zstd', 2)]],
  ];

  it.each(codecs)('%s, Zarr 2 and 3', async (_, list) => {
    await expectStack({ version: 2, codecs: list });
    await expectStack({ version: 3, codecs: list });
  });

  it('and checksums, one behind the other', async () => {
    await expectStack({ codecs: [CRC32C, GZIP, CRC32C] });
    await expectStack({ codecs: [ZSTD, LZ4_BLOCK] });
  });

  it.each(['bz2', 'lzma', 'jpeg2k'])('%s is refused by name', async (id) => {
    const files = await imageFiles(stack({ version: 2, over: { compressor: { id } } }));
    expect(() => openFiles(files)).toThrow(
      expect.objectContaining({ code: 'unsupported_format', message: expect.stringContaining(`"${id}"`) }),
    );
  });
});

describe('order of samples', () => {
  const shape = { chunks: [2, 2, 2, 4, 5] };

  it('big-endian', async () => {
    await expectStack({ version: 2, bigEndian: true, codecs: [blosc()] });
    await expectStack({ version: 3, bigEndian: true });
  });

  it('F of Zarr 2', async () => {
    await expectStack({ version: 2, order: [4, 3, 2, 1, 0], ...shape });
    await expectStack({ version: 2, order: [4, 3, 2, 1, 0], codecs: [ZLIB], ...shape });
  });

  it.each([[[1, 0, 2, 4, 3]], [[3, 4, 0, 1, 2]], [[4, 1, 3, 0, 2]]])('transposed to %j', async (order) => {
    await expectStack({ order, ...shape });
    await expectStack({ order, codecs: [blosc()], ...shape });
    await expectStack({ order, chunks: [2, 3, 2, 8, 10], inner: { chunks: [1, 3, 2, 4, 5] } });
  });

  it('of two transpositions, one after the other', async () => {
    const files = await imageFiles(stack({ order: [4, 1, 3, 0, 2], ...shape }));
    const document = JSON.parse(Buffer.from(files.get('0/zarr.json') as Uint8Array).toString()) as { codecs: object[] };
    // [1, 0, 2, 3, 4] first, and then what makes [4, 1, 3, 0, 2] of it.
    document.codecs.splice(
      0,
      1,
      { name: 'transpose', configuration: { order: [1, 0, 2, 3, 4] } },
      { name: 'transpose', configuration: { order: [4, 0, 3, 1, 2] } },
    );
    files.set('0/zarr.json', json(document));
    const spec = stack();
    expect([...(await planeOf(openFiles(files), { t: 1, channel: 2, z: 1 }))]).toEqual(wanted(spec, [1, 2, 1]));
  });
});

describe('shards', () => {
  const sharded = { chunks: [1, 3, 2, 8, 10], inner: { chunks: [1, 1, 1, 4, 5] } };

  it.each([
    ['with the index at the end', {}],
    ['with the index at the start', { atStart: true }],
    ['with an index without a checksum', { unchecked: true }],
    ['with an index without a checksum at the start', { unchecked: true, atStart: true }],
  ])('%s', async (_, index) => {
    await expectStack({ ...sharded, inner: { ...sharded.inner, ...index }, codecs: [GZIP] });
  });

  it('with chunks that are not stored', async () => {
    for (const atStart of [false, true]) {
      const missing: ArraySpec['missing'] = ([t, c, z, y, x]) => [t, c, z, y, x].join() === '0,1,0,1,1';
      const spec = stack({ ...sharded, inner: { ...sharded.inner, atStart }, missing, fill: 77 });
      const plane = await planeOf(openFiles(await imageFiles(spec)), { channel: 1 });
      const all = wanted(spec, [0, 1, 0]);
      const inside = (i: number) => Math.floor(i / 11) >= 4 && Math.floor(i / 11) < 8 && i % 11 >= 5 && i % 11 < 10;
      expect([...plane]).toEqual(all.map((value, i) => (inside(i) ? 77 : value)));
    }
  });

  it('in shards', async () => {
    const files = await imageFiles(stack({ ...sharded, codecs: [GZIP] }));
    const document = JSON.parse(Buffer.from(files.get('0/zarr.json') as Uint8Array).toString());
    // One shard more around each file: it holds one chunk, which is a shard itself.
    const [inner] = document.codecs;
    document.codecs = [
      {
        name: 'sharding_indexed',
        configuration: { chunk_shape: sharded.chunks, codecs: [inner], index_codecs: [{ name: 'bytes' }] },
      },
    ];
    files.set('0/zarr.json', json(document));
    for (const [key, bytes] of files) {
      if (!key.startsWith('0/c/')) continue;
      const index = new BigUint64Array([0n, BigInt(bytes.length)]);
      files.set(key, new Uint8Array(Buffer.concat([bytes, new Uint8Array(index.buffer)])));
    }
    const plane = await planeOf(openFiles(files), { t: 1, channel: 2, z: 1 });
    expect([...plane]).toEqual(wanted(stack(), [1, 2, 1]));
  });

  it('that were compressed as a whole', async () => {
    const files = await imageFiles(stack(sharded));
    const document = JSON.parse(Buffer.from(files.get('0/zarr.json') as Uint8Array).toString());
    document.codecs.push(GZIP.v3);
    files.set('0/zarr.json', json(document));
    for (const [key, bytes] of files) {
      if (key.startsWith('0/c/')) files.set(key, (await GZIP.encode(bytes)) as Uint8Array);
    }
    expect([...(await planeOf(openFiles(files), { channel: 2, z: 1 }))]).toEqual(wanted(stack(), [0, 2, 1]));
  });

  it('whose chunks do not divide them are refused', async () => {
    const files = await imageFiles(stack({ ...sharded, inner: { chunks: [1, 1, 1, 3, 5] } }));
    expect(() => openFiles(files)).toThrow(/shards of 1×3×2×8×10 do not divide into chunks of \[1,1,1,3,5\]/);
  });
});

describe('samples', () => {
  const line = (over: Partial<ImageSpec>): ImageSpec => ({
    version: 2,
    type: 'uint16',
    shape: [1, 4],
    chunks: [1, 4],
    value: ([, x]) => x as number,
    axes: [axis('y'), axis('x')],
    ...over,
  });

  it.each([
    ['bool', [0, 1, 1, 0], 'uint8'],
    ['int8', [-128, -1, 0, 127], 'int8'],
    ['int16', [-32_768, -1, 0, 32_767], 'int16'],
    ['uint32', [0, 1, 2 ** 31, 2 ** 32 - 1], 'uint32'],
    ['int32', [-(2 ** 31), -1, 0, 2 ** 31 - 1], 'int32'],
    ['float32', [0.5, -1024.25, Number.NaN, Number.POSITIVE_INFINITY], 'float32'],
    ['float64', [0.1, -1e300, Number.NaN, 0], 'float64'],
  ] as const)('of %s', async (type, values, served) => {
    for (const version of [2, 3] as const) {
      const acquisition = openFiles(
        await imageFiles(line({ version, type, value: ([, x]) => values[x as number] as number })),
      );
      expect(acquisition.info.scenes[0]?.sampleType).toBe(served);
      expect([...(await planeOf(acquisition))]).toEqual([...values]);
    }
  });

  it('of 64-bit integers, to the last digit', async () => {
    const values = [0n, 1n, 2n ** 63n + 1n, 2n ** 64n - 1n];
    const unsigned = line({ version: 3, type: 'uint64', value: ([, x]) => values[x as number] as bigint });
    expect([...(await planeOf(openFiles(await imageFiles(unsigned))))]).toEqual(values);
    const signed = line({ type: 'int64', value: ([, x]) => -(2n ** 63n) + BigInt(x as number) });
    expect((await planeOf(openFiles(await imageFiles(signed))))[1]).toBe(-(2n ** 63n) + 1n);
  });

  it('of half floats', async () => {
    const bits = [0x3c00, 0xc000, 0x7bff, 0x0001];
    for (const version of [2, 3] as const) {
      const spec = line({ version, type: 'float16', value: ([, x]) => bits[x as number] as number });
      expect([...(await planeOf(openFiles(await imageFiles(spec))))]).toEqual([1, -2, 65_504, 2 ** -24]);
    }
  });

  it.each([
    ['<c8', 2],
    ['|V4', 2],
    [[['a', '<u2']], 2],
    ['complex64', 3],
    [{ name: 'numpy.datetime64' }, 3],
  ] as const)('of type %j are refused', async (dtype, version) => {
    const files = await imageFiles(line({ version, over: { [version === 2 ? 'dtype' : 'data_type']: dtype } }));
    expect(() => openFiles(files)).toThrow(expect.objectContaining({ code: 'unsupported_format' }));
  });

  it('that are differences', async () => {
    // 5, 6, 6, 4 as the delta filter stores them.
    const differences = [5, 1, 0, 65_534];
    const filters = [{ id: 'delta', dtype: '<u2', astype: '<u2' }];
    const spec = line({ filters, codecs: [ZLIB], value: ([, x]) => differences[x as number] as number });
    expect([...(await planeOf(openFiles(await imageFiles(spec))))]).toEqual([5, 6, 6, 4]);
  });

  it('that were shuffled by a filter', async () => {
    const spec = line({
      filters: [{ id: 'shuffle', elementsize: 2 }],
      value: ([, x]) => [0x0201, 0x0403, 0x0605, 0x0807][x as number] as number,
    });
    expect([...(await planeOf(openFiles(await imageFiles(spec))))]).toEqual([0x0501, 0x0602, 0x0703, 0x0804]);
  });
});

describe('fill values', () => {
  const empty = (type: ArraySpec['type'], fill: unknown, version: 2 | 3 = 2): ImageSpec => ({
    version,
    type,
    fill,
    shape: [1, 2],
    chunks: [1, 2],
    value: () => 1,
    missing: () => true,
    axes: [axis('y'), axis('x')],
  });
  const filled = async (spec: ImageSpec) => {
    const acquisition = openFiles(await imageFiles(spec));
    return { value: (await planeOf(acquisition))[0], warnings: acquisition.info.scenes[0]?.warnings ?? [] };
  };

  it.each([
    ['uint16', 7, 7],
    ['uint16', null, 0],
    ['uint16', '12', 12],
    ['bool', true, 1],
    ['float32', 'NaN', Number.NaN],
    ['float32', '-Infinity', Number.NEGATIVE_INFINITY],
    ['float64', 0.1, 0.1],
    ['float32', '0x7fc00000', Number.NaN],
    ['float32', '0x3f800000', 1],
    ['uint64', 5, 5n],
    ['uint64', 18_446_744_073_709_552_000, 2n ** 64n - 1n],
    ['int64', -1, -1n],
  ] as const)('%s %j', async (type, fill, value) => {
    for (const version of [2, 3] as const) {
      const found = await filled(empty(type, fill, version));
      expect(found.value).toEqual(value);
      expect(found.warnings).toEqual([expect.stringContaining('contains no chunks')]);
    }
  });

  it.each([
    ['uint8', 300],
    ['uint8', -1],
    ['uint16', 'NaN'],
    ['int16', 'black'],
  ] as const)('%s %j is none: 0, with a warning', async (type, fill) => {
    const found = await filled(empty(type, fill));
    expect(found.value).toBe(0);
    expect(found.warnings[0]).toContain(`The fill value ${JSON.stringify(fill)} is not valid for ${type} samples`);
  });

  it('written as NaN without quotes', async () => {
    const files = await imageFiles(empty('float32', 0));
    const text = Buffer.from(files.get('0/.zarray') as Uint8Array).toString();
    files.set('0/.zarray', Uint8Array.from(Buffer.from(text.replace('"fill_value":0', '"fill_value":NaN'))));
    expect((await planeOf(openFiles(files)))[0]).toBeNaN();
  });
});

describe('keys', () => {
  it.each(['/', '.'] as const)('with %s between the numbers', async (separator) => {
    await expectStack({ version: 2, separator });
    await expectStack({ version: 3, separator });
  });

  it('of Zarr 2 in Zarr 3', async () => {
    const files = await imageFiles(stack({ over: { chunk_key_encoding: { name: 'v2' } } }));
    for (const [key, bytes] of [...files])
      if (key.startsWith('0/c/')) files.set(`0/${key.slice(4).replaceAll('/', '.')}`, bytes);
    expect([...(await planeOf(openFiles(files), { channel: 2 }))]).toEqual(wanted(stack(), [0, 2, 0]));
  });

  it('that are not as the metadata say are found, with a warning', async () => {
    const acquisition = openFiles(await imageFiles(smallImage({ separator: '/', realSeparator: '.' })));
    expect(acquisition.info.scenes[0]?.warnings).toEqual([
      'The chunks of 0 are named with "." between the numbers, but the metadata say "/".',
    ]);
    expect((await planeOf(acquisition))[10]).toBe(22);
  });
});

describe('damaged chunks are errors with their key', () => {
  const read = async (change: (bytes: Uint8Array) => Uint8Array, over: Partial<ImageSpec> = {}) => {
    const files = await imageFiles(stack(over));
    const key = [...files.keys()].find((name) => name.startsWith('0/c/0/0/0')) as string;
    files.set(key, change(files.get(key) as Uint8Array));
    return planeOf(openFiles(files));
  };
  const cut = (bytes: Uint8Array) => bytes.slice(0, bytes.length - 1);
  const flip = (bytes: Uint8Array) => bytes.map((byte, i) => (i === 3 ? byte ^ 1 : byte));

  it.each([
    ['plain, short', cut, {}, /0\/c\/0\/0\/0\/0\/0: has 39 bytes; expected 40/],
    ['plain, long', (bytes: Uint8Array) => new Uint8Array([...bytes, 0]), {}, /has 41 bytes; expected 40/],
    ['gzip', cut, { codecs: [GZIP] }, /chunk 0\/c\/0\/0\/0\/0\/0: gzip data are corrupted/],
    ['zstd', cut, { codecs: [ZSTD] }, /chunk 0\/c\/0\/0\/0\/0\/0: zstd data are corrupted/],
    ['Blosc', cut, { codecs: [blosc()] }, /chunk 0\/c\/0\/0\/0\/0\/0: Blosc data are truncated/],
    ['checksum', flip, { codecs: [CRC32C] }, /chunk 0\/c\/0\/0\/0\/0\/0: checksum mismatch/],
    [
      'shard',
      cut,
      { inner: { chunks: [1, 1, 1, 2, 5] } },
      /chunk 0\/c\/0\/0\/0\/0\/0: checksum mismatch \(CRC-32C\) in the index of the shard/,
    ],
    [
      'shard, cut to nothing',
      () => new Uint8Array(3),
      { inner: { chunks: [1, 1, 1, 2, 5] } },
      /its index alone has 36/,
    ],
    [
      'of other size',
      () => new Uint8Array(20_000_000),
      { codecs: [ZSTD] },
      /has 20,000,000 bytes; the limit for 40 decoded bytes/,
    ],
  ] as const)('%s', async (_, change, over, message) => {
    await expect(read(change, over as Partial<ImageSpec>)).rejects.toMatchObject({
      code: 'decode_failed',
      message: expect.stringMatching(message),
    });
  });

  it('in a shard whose index points outside', async () => {
    const outside = (bytes: Uint8Array) => {
      const copy = bytes.slice();
      new DataView(copy.buffer).setBigUint64(copy.length - 32, 2n ** 60n, true);
      return copy;
    };
    const sharded = { inner: { chunks: [1, 1, 1, 2, 5], unchecked: true } };
    await expect(read(outside, sharded)).rejects.toMatchObject({ code: 'decode_failed' });
  });

  it('that unpack to more than their place', async () => {
    const bomb = (await ZLIB.encode(new Uint8Array(2 ** 22))) as Uint8Array;
    await expect(read(() => bomb, { codecs: [GZIP] })).rejects.toThrow(/more than the expected 40 bytes/);
  });
});

describe('what a plane costs', () => {
  const big = stack({
    shape: [20, 3, 10, 64, 64],
    chunks: [1, 1, 1, 32, 32],
    value: ([t, c, z, y, x]) => (t as number) + (c as number) + (z as number) + (y as number) * (x as number),
  });

  it('opening reads documents, and the first and the last chunk are only looked for', async () => {
    const counts: Counts = { bytes: 0, keys: [] };
    openFiles(await imageFiles(big), counts);
    expect(counts.keys).toEqual(['zarr.json', '0/zarr.json', '0/c/0/0/0/0/0', '0/c/19/0/0/0/0']);
    expect(counts.bytes).toBeLessThan(2000);
  });

  it('reads the chunks of the plane', async () => {
    const counts: Counts = { bytes: 0, keys: [] };
    const acquisition = openFiles(await imageFiles(big), counts);
    Object.assign(counts, { bytes: 0, keys: [] });
    await planeOf(acquisition, { t: 7, channel: 1, z: 3 });
    expect(counts.keys).toEqual(['0/c/7/1/3/0/0', '0/c/7/1/3/0/1', '0/c/7/1/3/1/0', '0/c/7/1/3/1/1']);
    expect(counts.bytes).toBe(64 * 64 * 2);
  });

  it('reads of a shard its index once, and the chunks of the plane', async () => {
    const counts: Counts = { bytes: 0, keys: [] };
    const spec = {
      ...big,
      shape: [2, 3, 10, 64, 64],
      chunks: [2, 3, 10, 64, 64],
      inner: { chunks: [1, 1, 1, 32, 32] },
    };
    const acquisition = openFiles(await imageFiles(spec), counts);
    Object.assign(counts, { bytes: 0, keys: [] });
    await planeOf(acquisition, { t: 1, channel: 1, z: 3 });
    const index = 2 * 3 * 10 * 4 * 16 + 4;
    expect(counts.bytes).toBe(index + 64 * 64 * 2);
    await planeOf(acquisition, { t: 0, channel: 2, z: 3 });
    expect(counts.bytes).toBe(index + 2 * 64 * 64 * 2);
  });

  it('reads of a plain chunk that holds many planes the one', async () => {
    const counts: Counts = { bytes: 0, keys: [] };
    const acquisition = openFiles(
      await imageFiles({ ...big, shape: [2, 3, 10, 64, 64], chunks: [2, 3, 10, 64, 64] }),
      counts,
    );
    Object.assign(counts, { bytes: 0, keys: [] });
    await planeOf(acquisition, { t: 1, channel: 1, z: 3 });
    expect(counts.bytes).toBe(64 * 64 * 2);
  });

  it('decodes a chunk that holds all channels once', async () => {
    const counts: Counts = { bytes: 0, keys: [] };
    const spec = { ...big, shape: [1, 3, 1, 64, 64], chunks: [1, 3, 1, 64, 64], codecs: [blosc()] };
    const files = await imageFiles(spec);
    const acquisition = openFiles(files, counts);
    Object.assign(counts, { bytes: 0, keys: [] });
    for (const channel of [0, 1, 2]) await planeOf(acquisition, { channel });
    expect(counts.bytes).toBe(files.get('0/c/0/0/0/0/0')?.length);
  });

  it.each([
    ['rows', { shape: [1, 1, 1, 2 ** 40, 64] }, /the plane has 1,099,511,627,776 rows of 64 pixels/],
    ['times', { shape: [2 ** 40, 1, 1, 8, 8] }, /1,099,511,627,776 time points/],
    ['channels', { shape: [1, 2 ** 30, 1, 8, 8] }, /1,073,741,824 channels/],
    ['chunks', { shape: [1, 1, 1, 2 ** 13, 2 ** 13], chunks: [1, 1, 1, 1, 1] }, /more than 1,048,576 chunks/],
    ['a chunk', { chunks: [1, 1, 1, 2 ** 20, 2 ** 20] }, /chunks of 1×1×1×1,048,576×1,048,576 samples/],
  ] as const)('nothing for %s that cannot be', async (_, over, message) => {
    const files = await imageFiles(
      smallImage({
        version: 2,
        axes: [axis('t'), axis('c'), axis('z'), axis('y'), axis('x')],
        shape: [1, 1, 1, 1, 1],
        chunks: [1, 1, 1, 1, 1],
        missing: () => true,
        codecs: [ZLIB],
        over,
      }),
    );
    const counts: Counts = { bytes: 0, keys: [] };
    expect(() => openFiles(files, counts)).toThrow(message);
    expect(counts.bytes).toBeLessThan(2000);
  });
});

describe('zip archives', () => {
  it('may hold the hierarchy in a folder, and what macOS adds', async () => {
    const files = await imageFiles(smallImage());
    files.set('__MACOSX/x.ome.zarr/._.zattrs', new Uint8Array(8));
    const plain = new Map(
      [...files].map(([key, bytes]): [string, Uint8Array] => [key.startsWith('__') ? key : `x.ome.zarr/${key}`, bytes]),
    );
    expect((await planeOf(openZip(zipStore(plain))))[10]).toBe(22);
  });

  it('whose entries lead out are refused', async () => {
    const files = await imageFiles(smallImage());
    files.set('../evil', new Uint8Array(1));
    expect(() => openZip(zipStore(files))).toThrow(/leads out of the archive/);
  });
});
