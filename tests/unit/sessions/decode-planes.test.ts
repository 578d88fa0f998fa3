import { describe, expect, it } from 'vitest';
import type {
  DecodeLease,
  Decoder,
  OpenedFile,
  PlaneMemory,
  PlaneRequest,
} from '../../../packages/server/src/decode/types.js';
import { PlaneCache } from '../../../packages/server/src/planes/plane-cache.js';
import { PlaneArena } from '../../../packages/server/src/planes/plane-memory.js';
import type { Fingerprint } from '../../../packages/server/src/platform-node/file-source.js';
import {
  type DecodeSource,
  decodePlanes,
  type PlaneTask,
} from '../../../packages/server/src/sessions/decode-planes.js';
import { memoryOf } from '../../support/planes.js';

interface Shape {
  rows: number;
  columns: number;
  channels: number;
  interleaved: boolean;
  /** Compressed pieces down the plane; 0 for uncompressed ones. */
  pieces: number;
  readsOnce?: boolean;
}

const GIB = 2 ** 30;
const FILES: Fingerprint[] = [];

/** Decodes all channels with one worker. Returns the requests as `channel:first+count`, and a blank and `last` if it is. */
async function requestsFor(shape: Shape): Promise<string[]> {
  return (await decode(shape, false)).requests;
}

async function decode(
  { rows, columns, channels, interleaved, pieces, readsOnce }: Shape,
  isAll: boolean,
  { arena = new PlaneArena(GIB), openMs = 0, isAlone = true } = {},
) {
  const requests: string[] = [];
  let asked = 0;
  const decoder = {
    tryLease: () => {
      asked++;
      return undefined;
    },
  } as Partial<Decoder> as Decoder;
  const blocks: number[] = [];
  const lease = {
    async plane(request: PlaneRequest, memory: PlaneMemory, isLast?: boolean) {
      if (request.kind !== 'channel') throw new Error('only channels are decoded');
      const { first, count } = request.band ?? { first: 0, count: rows };
      const channels = request.together?.join(' and ') ?? request.channel;
      requests.push(`${channels}:${first}+${count}${isLast ? ' last' : ''}`);
      blocks.push(...memory.blocks.map(({ byteLength }) => byteLength));
      return isLast ? FILES : undefined;
    },
  } as Partial<DecodeLease> as DecodeLease;
  const scene = {
    sizes: { T: 1, Z: 1, Y: rows, X: columns },
    channels: new Array(channels).fill({}),
    sampleType: 'uint16',
  };
  const opened = {
    bands: Math.max(1, pieces),
    interleaved,
    readsOnce: readsOnce ?? false,
    scratchBytes: pieces > 0 ? 1000 : 0,
    filesSize: 10 ** 12,
    view: { scene },
  } as unknown as OpenedFile;
  const tasks = Array.from({ length: channels }, (_, channel) => ({
    request: { kind: 'channel', scene: 0, channel, t: 0, z: 0 },
    builder: {
      rows,
      fill: (_: unknown, read: (memory: unknown) => Promise<void>) =>
        read(memoryOf(new ArrayBuffer(4 * (channel + 1)))),
    },
  })) as unknown as PlaneTask[];
  const source: Partial<DecodeSource> = { lease, opened, decoder, cache: new PlaneCache(arena), openMs, isAlone };
  const { closed } = await decodePlanes(source as DecodeSource, tasks, isAll);
  return { requests, closed, blocks, asked };
}

/** 16 MiB in two channels. */
const large = { rows: 8192, columns: 512, channels: 2 };

describe('planes that are decoded together', () => {
  it('take turns, some rows at a time, when their channels are stored together', async () => {
    const turns = ['0:0+4096', '1:0+4096', '0:4096+4096', '1:4096+4096'];
    expect(await requestsFor({ ...large, interleaved: true, pieces: 0 })).toEqual(turns);
    expect(await requestsFor({ ...large, interleaved: true, pieces: 100 })).toEqual(turns);
  });

  it('are decoded one after the other when their channels are stored apart', async () => {
    expect(await requestsFor({ ...large, interleaved: false, pieces: 100 })).toEqual(['0:0+8192', '1:0+8192']);
  });

  it('are not cut when all are one compressed piece, which each band would decode again', async () => {
    expect(await requestsFor({ ...large, interleaved: true, pieces: 1 })).toEqual(['0:0+8192', '1:0+8192']);
  });

  it('are one call when they are small, whatever the file, and not cut', async () => {
    const small = { rows: 100, columns: 512, channels: 3 };
    const call = ['0 and 1 and 2:0+100'];
    expect(await requestsFor({ ...small, interleaved: true, pieces: 4 })).toEqual(call);
    expect(await requestsFor({ ...small, interleaved: false, pieces: 0 })).toEqual(call);
    expect(await requestsFor({ ...small, interleaved: false, pieces: 1, channels: 1 })).toEqual(['0:0+100']);
  });

  it('are one call up to 2 MiB of float32 in all', async () => {
    const edge = { columns: 512, channels: 2, interleaved: false, pieces: 0 };
    expect(await requestsFor({ ...edge, rows: 512 })).toEqual(['0 and 1:0+512']);
    expect(await requestsFor({ ...edge, rows: 513 })).toEqual(['0:0+513', '1:0+513']);
  });
});

describe('channels that are read in one pass of the file', () => {
  const onePass = { ...large, interleaved: false, pieces: 0, readsOnce: true };

  it('are one request, with the memory of all channels in turns', async () => {
    const { requests, closed, blocks } = await decode(onePass, true);
    expect(requests).toEqual(['0 and 1:0+8192 last']);
    expect(blocks).toEqual([4, 8]);
    expect(closed).toBe(FILES);
  });

  it('need no other channel when there is one', async () => {
    expect(await requestsFor({ ...onePass, channels: 1 })).toEqual(['0:0+8192']);
  });
});

describe('the last plane of an open', () => {
  it('closes the files when nothing else is to be read', async () => {
    const apart = { ...large, interleaved: false, pieces: 0 };
    expect(await decode(apart, true)).toMatchObject({ requests: ['0:0+8192', '1:0+8192 last'], closed: FILES });
    expect(await decode(apart, false)).toMatchObject({ requests: ['0:0+8192', '1:0+8192'], closed: undefined });
  });

  it('is the last band of channels that are decoded together', async () => {
    const { requests, closed } = await decode({ ...large, interleaved: true, pieces: 0 }, true);
    expect(requests).toEqual(['0:0+4096', '1:0+4096', '0:4096+4096', '1:4096+4096 last']);
    expect(closed).toBe(FILES);
  });
});

it('planes that take new memory are worth a second worker, even for a file that opens slowly', async () => {
  const arena = new PlaneArena(GIB);
  const scan = { rows: 30_000, columns: 512, channels: 2, interleaved: false, pieces: 0 };
  expect(await decode(scan, false, { arena, openMs: 15 })).toMatchObject({ asked: 1 });
  arena.give(arena.take(2 * 30_000 * 512 * 4));
  expect(await decode(scan, false, { arena, openMs: 15 })).toMatchObject({ asked: 0 });
  expect(await decode(scan, false, { arena, openMs: 5 })).toMatchObject({ asked: 1 });
  expect(await decode(scan, false, { arena, openMs: 5, isAlone: false })).toMatchObject({ asked: 0 });
  arena.close();
});
