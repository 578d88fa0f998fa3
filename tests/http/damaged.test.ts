import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { openOk } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { channelId, type OirSpec, writeOir } from '../writers/oir.js';
import { colourImage } from '../writers/oir-kinds.js';

const folder = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 1 });
});
afterAll(() => server.close());

async function open(path: string): Promise<OpenResponse> {
  return openOk(server.url, { path });
}

/** First sample of every channel, by the name that it is served under. */
async function firstSamples({ channels }: OpenResponse): Promise<Record<string, number | undefined>> {
  const samples: Record<string, number | undefined> = {};
  for (const { name, dataUrl } of channels) {
    const response = await fetch(new URL(dataUrl, server.url));
    samples[name] = new Float32Array(await response.arrayBuffer())[0];
  }
  return samples;
}

describe('an OIR file that ends inside its last description of the channels', () => {
  /** Ids in another order than the channels; the description lists B, G, R. */
  const SPEC: OirSpec = {
    ...colourImage(),
    sample: (c) => [31, 81, 131][c] as number,
    channels: ['R', 'G', 'B'].map((name, c) => ({ id: channelId([2, 3, 1][c] as number), name, order: String(c + 1) })),
  };
  const bytes = writeOir(SPEC);
  const text = Buffer.from(bytes).toString('latin1');
  /** The file up to the name of `G`, the `nth` time that it is written. */
  const cut = (nth: number) => {
    let at = -1;
    for (let i = 0; i < nth; i++) at = text.indexOf('>G<', at + 1);
    expect(at).toBeGreaterThan(0);
    return bytes.subarray(0, at + 1);
  };

  it('serves every plane under its own name when an earlier description is complete', async () => {
    const answer = await open(writeTemp(folder, 'late.oir', cut(2)));
    expect(await firstSamples(answer)).toEqual({ R: 31, G: 81, B: 131 });
    expect(answer.channels.map(({ name }) => name)).toEqual(['R', 'G', 'B']);
  });

  it('numbers undescribed channels by their ids, with a warning', async () => {
    const answer = await open(writeTemp(folder, 'early.oir', cut(1)));
    expect(await firstSamples(answer)).toEqual({ B: 131, CH2: 31, CH3: 81 });
    expect(answer.warnings).toContainEqual(
      'The file ends before it describes the channels shown as CH2, CH3. ' +
        'Their names and the order of all channels are assumed.',
    );
  });

  it('never gives a channel the name of another', async () => {
    const numbered = SPEC.channels.map((channel, c) => ({ ...channel, name: `CH${c + 1}` }));
    const whole = writeOir({ ...SPEC, channels: numbered });
    const end = Buffer.from(whole).toString('latin1').indexOf('>CH2<');
    const answer = await open(writeTemp(folder, 'numbered.oir', whole.subarray(0, end + 1)));
    // `CH3` is the only name that is known, and its id the first of all.
    expect(await firstSamples(answer)).toEqual({ CH3: 131, CH2: 31, CH4: 81 });
    expect(answer.warnings.join()).toContain('shown as CH2, CH4');
  });
});
