import { describe, expect, it } from 'vitest';
import { FREEHAND, lineScan, series } from '../support/bruker.js';
import { openBytes } from '../support/memory.js';
import { type BrukerSpec, brukerFiles } from '../writers/bruker.js';
import { cutLengths, honest, hostileCases, IS_LONG, mutate, Witness } from './mutate.js';

const FREE = lineScan(2, [1, 2]);
const RECORDINGS: { name: string; spec: BrukerSpec }[] = [
  { name: 'line scans', spec: { ...FREE, sequences: FREE.sequences.map((one) => ({ ...one, line: FREEHAND })) } },
  { name: 'Z series', spec: series('TSeries ZSeries Element', 2, 2, [1]) },
  { name: 'old keys', spec: lineScan(1, [1], { style: 'keys' }) },
];

/** Opens a recording in memory; `change` corrupts one of its files. */
function recording(spec: BrukerSpec, change: (files: Map<string, Uint8Array>) => void) {
  const files = new Map(brukerFiles(spec).map(({ name, bytes }) => [name, bytes]));
  change(files);
  const { [`${spec.name}.xml`]: xml, ...others } = Object.fromEntries(files);
  return openBytes(`${spec.name}.xml`, xml!, others);
}

function damaged(spec: BrukerSpec, victim: (names: string[]) => string, damage: (bytes: Uint8Array) => Uint8Array) {
  return recording(spec, (files) => {
    const name = victim([...files.keys()]);
    files.set(name, damage(files.get(name)!));
  });
}

describe('a corrupted Prairie View recording', () => {
  const cases = Math.ceil(hostileCases(6_000) / RECORDINGS.length / 2);

  it.each(RECORDINGS)(
    `is refused or opened when its XML is corrupted, ${cases} times: $name`,
    { timeout: 3_600_000 },
    async ({ spec }) => {
      const outcomes = { refused: 0, opened: 0 };
      for (let i = 0; i < cases; i++) {
        outcomes[
          await honest(i, () =>
            damaged(
              spec,
              ([xml]) => xml!,
              (bytes) => mutate(bytes, i),
            ),
          )
        ]++;
      }
      expect(outcomes.opened).toBeGreaterThan(cases / 10);
      expect(outcomes.refused).toBeGreaterThan(0);
    },
  );

  it.each(RECORDINGS)(
    `is refused or opened when a TIFF is corrupted, ${cases} times: $name`,
    { timeout: 3_600_000 },
    async ({ spec }) => {
      const outcomes = { refused: 0, opened: 0 };
      for (let i = 0; i < cases; i++) {
        const victim = (names: string[]) => names[1 + (i % (names.length - 1))]!;
        outcomes[await honest(i, () => damaged(spec, victim, (bytes) => mutate(bytes, i)))]++;
      }
      expect(outcomes.opened).toBeGreaterThan(cases / 10);
    },
  );

  describe.each(RECORDINGS)('shows true planes of $name', ({ spec }) => {
    it.each([
      ['the XML', 0],
      ['a TIFF', 1],
    ])('when %s is truncated or changed', async (_, file) => {
      const { name, bytes } = brukerFiles(spec)[file]!;
      const open = (other: Uint8Array) => recording(spec, (files) => files.set(name, other));
      const witness = await Witness.of(bytes, open);
      await witness.expectTrueCuts(cutLengths(bytes, 64));
      await witness.expectTrueChanges(Math.ceil(cases / 3), 0.08);
    });
  });
});

describe('an XML with impossible values', () => {
  const text = (xml: string) =>
    damaged(
      lineScan(),
      ([name]) => name!,
      () => new TextEncoder().encode(xml),
    );
  const frame = (state: string) =>
    `<PVScan><Sequence type="Linescan" cycle="1"><Frame><File channel="1" filename="gone.tif"/>${state}</Frame>` +
    '<Frame><File channel="1" filename="LineScan-01022024-1200-001_Cycle00001_Ch1_000001.ome.tif"/></Frame></Sequence></PVScan>';

  it.each(['1e300', '9007199254740993', '-5', '0', '134217729', '1.5', 'Infinity'])(
    'is refused or opened when it claims %s lines',
    async (lines) => {
      const shard = `<PVStateShard><PVStateValue key="linesPerFrame" value="${lines}"/></PVStateShard>`;
      await honest(0, () => text(frame(shard)));
    },
  );

  it('is refused when it is nested too deep or has no images, and its entities are not read', async () => {
    expect(await honest(0, () => text(`<PVScan>${'<a>'.repeat(100_000)}`))).toBe('refused');
    expect(await honest(1, () => text(`<PVScan>${'<Sequence/>'.repeat(200_000)}</PVScan>`))).toBe('refused');
    const entity = '<!DOCTYPE PVScan [<!ENTITY a SYSTEM "file:///etc/passwd">]>';
    await honest(2, () => text(`${entity}${frame('<PVStateShard>&a;</PVStateShard>')}`));
  });

  it('is refused when it claims 20,000 cycles, or 150,000, each at another stage position', async () => {
    const one = (i: number) =>
      `<Sequence type="ZSeries" cycle="${i}"><Frame><File channel="1" filename="x.tif"/><PVStateShard><PVStateValue key="positionCurrent">` +
      `<IndexedValue index="XAxis" value="${i * 10}"/></PVStateValue></PVStateShard></Frame></Sequence>`;
    const many = (count: number) => `<PVScan>${Array.from({ length: count }, (_, i) => one(i)).join('')}</PVScan>`;
    if (IS_LONG) expect(await honest(0, () => text(many(150_000)))).toBe('refused');
    expect(await honest(1, () => text(many(20_000)))).toBe('refused');
  });

  it('is refused when it claims 70,000 channels', async () => {
    const files = Array.from({ length: 70_000 }, (_, i) => `<File channel="${i}" filename="f${i}.tif"/>`).join('');
    const xml = `<PVScan><Sequence type="TSeries" cycle="1"><Frame>${files}</Frame></Sequence></PVScan>`;
    expect(await honest(0, () => text(xml))).toBe('refused');
  });
});
