import { describe, expect, it } from 'vitest';
import { openRecording } from '../../src/formats/bruker/index.js';
import { MemorySource } from '../../src/io/byte-source.js';
import { FREEHAND, lineScan, series } from '../support/bruker.js';
import { type BrukerSpec, brukerFiles } from '../writers/bruker.js';
import { cutLengths, honest, hostileCases, IS_LONG, mutate, Witness } from './mutate.js';

const FREE = lineScan(2, [1, 2]);
const RECORDINGS: { name: string; spec: BrukerSpec }[] = [
  { name: 'line scans', spec: { ...FREE, sequences: FREE.sequences.map((one) => ({ ...one, line: FREEHAND })) } },
  { name: 'Z series', spec: series('TSeries ZSeries Element', 2, 2, [1]) },
  { name: 'old keys', spec: lineScan(1, [1], { style: 'keys' }) },
];

/** A recording in memory; `change` damages one of its files. */
function recording(spec: BrukerSpec, change: (files: Map<string, Uint8Array>) => void) {
  const files = new Map(brukerFiles(spec).map(({ name, bytes }) => [name, bytes]));
  change(files);
  const xml = `${spec.name}.xml`;
  const source = new MemorySource(xml, files.get(xml) as Uint8Array);
  return openRecording(xml, source, {
    path: '/nowhere',
    list: (inside = '') => (inside === '' ? [...files.keys()] : []),
    open: (name) => {
      const bytes = files.get(name);
      return bytes && new MemorySource(name, bytes);
    },
  });
}

function damaged(spec: BrukerSpec, victim: (names: string[]) => string, damage: (bytes: Uint8Array) => Uint8Array) {
  return recording(spec, (files) => {
    const name = victim([...files.keys()]);
    files.set(name, damage(files.get(name) as Uint8Array));
  });
}

describe('damaged Prairie View recordings', () => {
  const cases = Math.ceil(hostileCases(6_000) / RECORDINGS.length / 2);

  it.each(RECORDINGS)(`$name, the XML, ${cases} cases`, { timeout: 3_600_000 }, async ({ spec }) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases; i++) {
      outcomes[
        await honest(i, () =>
          damaged(
            spec,
            ([xml]) => xml as string,
            (bytes) => mutate(bytes, i),
          ),
        )
      ]++;
    }
    expect(outcomes.opened).toBeGreaterThan(cases / 10);
    expect(outcomes.refused).toBeGreaterThan(0);
  });

  it.each(RECORDINGS)(`$name, a TIFF, ${cases} cases`, { timeout: 3_600_000 }, async ({ spec }) => {
    const outcomes = { refused: 0, opened: 0 };
    for (let i = 0; i < cases; i++) {
      const victim = (names: string[]) => names[1 + (i % (names.length - 1))] as string;
      outcomes[await honest(i, () => damaged(spec, victim, (bytes) => mutate(bytes, i)))]++;
    }
    expect(outcomes.opened).toBeGreaterThan(cases / 10);
  });

  describe.each(RECORDINGS)('$name, true planes of', ({ spec }) => {
    it.each([
      ['the XML', 0],
      ['a TIFF', 1],
    ])('%s, cut or changed', async (_, file) => {
      const { name, bytes } = brukerFiles(spec)[file] as { name: string; bytes: Uint8Array };
      const open = (other: Uint8Array) => recording(spec, (files) => files.set(name, other));
      const witness = await Witness.of(bytes, open);
      await witness.expectTrueCuts(cutLengths(bytes, 64));
      await witness.expectTrueChanges(Math.ceil(cases / 3), 0.08);
    });
  });
});

describe('an XML that lies', () => {
  const text = (xml: string) =>
    damaged(
      lineScan(),
      ([name]) => name as string,
      () => new TextEncoder().encode(xml),
    );
  const frame = (state: string) =>
    `<PVScan><Sequence type="Linescan" cycle="1"><Frame><File channel="1" filename="gone.tif"/>${state}</Frame>` +
    '<Frame><File channel="1" filename="LineScan-01022024-1200-001_Cycle00001_Ch1_000001.ome.tif"/></Frame></Sequence></PVScan>';

  it.each(['1e300', '9007199254740993', '-5', '0', '134217729', '1.5', 'Infinity'])('about %s lines', async (lines) => {
    const shard = `<PVStateShard><PVStateValue key="linesPerFrame" value="${lines}"/></PVStateShard>`;
    await honest(0, () => text(frame(shard)));
  });

  it('about its depth, its size and its entities', async () => {
    expect(await honest(0, () => text(`<PVScan>${'<a>'.repeat(100_000)}`))).toBe('refused');
    expect(await honest(1, () => text(`<PVScan>${'<Sequence/>'.repeat(200_000)}</PVScan>`))).toBe('refused');
    const entity = '<!DOCTYPE PVScan [<!ENTITY a SYSTEM "file:///etc/passwd">]>';
    await honest(2, () => text(`${entity}${frame('<PVStateShard>&a;</PVStateShard>')}`));
  });

  it('about 20,000 cycles, or 150,000, each at a place of its own', async () => {
    const one = (i: number) =>
      `<Sequence type="ZSeries" cycle="${i}"><Frame><File channel="1" filename="x.tif"/><PVStateShard><PVStateValue key="positionCurrent">` +
      `<IndexedValue index="XAxis" value="${i * 10}"/></PVStateValue></PVStateShard></Frame></Sequence>`;
    const many = (count: number) => `<PVScan>${Array.from({ length: count }, (_, i) => one(i)).join('')}</PVScan>`;
    if (IS_LONG) expect(await honest(0, () => text(many(150_000)))).toBe('refused');
    expect(await honest(1, () => text(many(20_000)))).toBe('refused');
  });

  it('about 70,000 channels', async () => {
    const files = Array.from({ length: 70_000 }, (_, i) => `<File channel="${i}" filename="f${i}.tif"/>`).join('');
    const xml = `<PVScan><Sequence type="TSeries" cycle="1"><Frame>${files}</Frame></Sequence></PVScan>`;
    expect(await honest(0, () => text(xml))).toBe('refused');
  });
});
