import { describe, expect, it } from 'vitest';
import type { DecodeLease, OpenedFile, PlaneRequest } from '../../../src/decode/types.js';
import { type DecodeSource, decodePlanes, type PlaneTask } from '../../../src/sessions/decode-planes.js';
import { memoryOf } from '../../support/planes.js';

interface Shape {
  rows: number;
  columns: number;
  channels: number;
  interleaved: boolean;
  /** Compressed pieces down the plane; 0 for uncompressed ones. */
  pieces: number;
}

/** Decodes all channels with one worker. Returns the requests as `channel:first+count`. */
async function requestsFor({ rows, columns, channels, interleaved, pieces }: Shape): Promise<string[]> {
  const requests: string[] = [];
  const lease = {
    async plane(request: PlaneRequest) {
      if (request.kind !== 'channel') throw new Error('only channels are decoded');
      const { first, count } = request.band ?? { first: 0, count: rows };
      requests.push(`${request.channel}:${first}+${count}`);
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
    scratchBytes: pieces > 0 ? 1000 : 0,
    filesSize: 10 ** 12,
    view: { scene },
  } as unknown as OpenedFile;
  const tasks = Array.from({ length: channels }, (_, channel) => ({
    request: { kind: 'channel', scene: 0, channel, t: 0, z: 0 },
    builder: {
      rows,
      fill: (_: unknown, read: (memory: unknown) => Promise<void>) => read(memoryOf(new ArrayBuffer(4))),
    },
  })) as unknown as PlaneTask[];
  await decodePlanes({ lease, opened } as Partial<DecodeSource> as DecodeSource, tasks);
  return requests;
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

  it('are not cut when they are small', async () => {
    const small = { rows: 100, columns: 512, channels: 3 };
    expect(await requestsFor({ ...small, interleaved: true, pieces: 4 })).toEqual(['0:0+100', '1:0+100', '2:0+100']);
  });
});
