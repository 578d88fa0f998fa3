import { describe, expect, it } from 'vitest';
import { openBytes } from '../support/memory.js';
import { type NdSpec, ndSet } from '../writers/metamorph-nd.js';
import { cutLengths, honest, hostileCases, mutate, Witness } from './mutate.js';

const SPEC: NdSpec = { stem: 'a', waves: ['DAPI', 'GFP'], stages: ['left', 'right'], times: 2, sections: 2 };
const WHOLE = ndSet(SPEC);
const MIXED = ndSet({ stem: 'a', waves: ['DAPI', 'GFP'], wavesDoZ: [false, true], sections: 3 });

/** Opens a set of which one file is another one. */
function openWith(files: Record<string, Uint8Array>, victim: string, bytes: Uint8Array) {
  const { 'a.nd': nd, ...others } = { ...files, [victim]: bytes };
  return openBytes('a.nd', nd!, others);
}

describe('a corrupted MetaMorph set', () => {
  const cases = Math.ceil(hostileCases(6_000) / 2);

  it(`is refused or opened when its .nd is corrupted, ${cases} times`, { timeout: 3_600_000 }, async () => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases; i++) {
      const set = i % 2 ? WHOLE : MIXED;
      outcomes[await honest(i, () => openWith(set, 'a.nd', mutate(set['a.nd']!, i)))]++;
    }
    expect(outcomes.opened).toBeGreaterThan(cases / 10);
    expect(outcomes.refused).toBeGreaterThan(0);
  });

  it(`is refused or opened when a stack is corrupted, ${cases} times`, { timeout: 3_600_000 }, async () => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases; i++) {
      const set = i % 2 ? WHOLE : MIXED;
      const files = Object.entries(set).slice(1);
      const [name, bytes] = files[i % files.length]!;
      outcomes[await honest(i, () => openWith(set, name, mutate(bytes, i)))]++;
    }
    expect(outcomes.opened).toBeGreaterThan(cases / 10);
  });

  it.each([
    ['the .nd', WHOLE, 0],
    ['a stack', WHOLE, 1],
    ['the .nd of channels with and without sections', MIXED, 0],
    ['an image of them', MIXED, 1],
  ])('shows true planes when %s is truncated', async (_, set, file) => {
    const [name, bytes] = Object.entries(set)[file]!;
    const witness = await Witness.of(bytes, (other) => openWith(set, name, other));
    await witness.expectTrueCuts(cutLengths(bytes, 128));
  });

  it.each(['999999999999999', '-3', '2147483648', '1e9', 'TRUE', '""'])(
    'is refused or opened at once when it claims %s time points, positions, channels and sections',
    async (count) => {
      const lies = { NTimePoints: count, NStagePositions: count, NWavelengths: count, NZSteps: count };
      const started = performance.now();
      await honest(0, () => openBytes('a.nd', ndSet({ ...SPEC, lies })['a.nd']!, WHOLE));
      expect(performance.now() - started).toBeLessThan(2000);
    },
  );

  it('has the files of its own stem only, whatever their names contain', async () => {
    const files = WHOLE;
    const odd = [
      'a_w1DAPI_s1_t99999999.stk',
      'a_w0_s0_t0.stk',
      'a_w1../x_s1_t1.stk',
      'a_w1DAPI_s1_t1_OverView.tif',
      'ab_t1.tif',
    ];
    const beside = Object.fromEntries(odd.map((name) => [name, new Uint8Array(100)]));
    const { info } = await openBytes('a.nd', files['a.nd']!, { ...files, ...beside });
    expect(info.scenes.map(({ sizes }) => sizes.T)).toEqual([2, 2]);
  });
});
