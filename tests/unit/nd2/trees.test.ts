import { describe, expect, it } from 'vitest';
import { type Loop, parseLoops } from '../../../packages/readers/src/formats/nd2/loops.js';
import { parseLv } from '../../../packages/readers/src/formats/nd2/lv.js';
import { frameAt, planFrames } from '../../../packages/readers/src/formats/nd2/plan.js';
import { unwrap } from '../../../packages/readers/src/formats/nd2/variant.js';
import { parseVariantXml } from '../../../packages/readers/src/formats/nd2/variant-xml.js';
import { depthLoop, experiment, positionLoop, timeLoop } from '../../writers/nd2.js';
import * as tree from '../../writers/nd2-tree.js';

const sample = tree.level('SLxSample', [
  tree.bool('bYes', true),
  tree.bool('bNo', false),
  tree.i32('iMinus', -7),
  tree.u32('uiMany', 4_000_000_000),
  tree.u64('uiLong', 2 ** 40),
  tree.f64('dHalf', 0.5),
  tree.text('sName', 'Plan Apo λ 60x'),
  tree.list('aList', [tree.level('', [tree.u32('n', 1)]), tree.level('', [tree.u32('n', 2)])]),
  tree.bytes('pBytes', Uint8Array.of(1, 0, 2)),
  tree.level('FormatFast', [tree.text('sSecret', 'not read')]),
  tree.u32('uiLast', 9),
]);

describe('binary ND2 trees', () => {
  it.each([tree.encodeLv(sample), tree.encodeCompressedLv(sample)])('contain every type of value (%#)', (bytes) => {
    const root = unwrap(parseLv(bytes, 'test'), 'SLxSample');
    expect([root.at('bYes'), root.at('bNo'), root.number('bYes')]).toEqual([true, false, 1]);
    expect([root.number('iMinus'), root.number('uiMany'), root.number('uiLong')]).toEqual([-7, 4_000_000_000, 2 ** 40]);
    expect([root.number('dHalf'), root.text('sName')]).toEqual([0.5, 'Plan Apo λ 60x']);
    expect(
      root
        .level('aList')
        ?.levels()
        .map((item) => item.number('n')),
    ).toEqual([1, 2]);
    expect([...(root.at('pBytes') as Uint8Array)]).toEqual([1, 0, 2]);
    expect(root.level('FormatFast')?.entries).toEqual([]);
    expect(root.number('uiLast')).toBe(9);
    expect(root.number('sName')).toBeUndefined();
    expect(root.number('aList', 'n')).toBeUndefined();
  });

  it('are written and parsed byte by byte', () => {
    // level "A" of one child: u32 "n" = 258; 2 + 4 + 12 bytes of head, 10 of the child, a table of 8.
    const bytes = Uint8Array.from([
      ...[11, 2, 0x41, 0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0],
      ...[3, 2, 0x6e, 0, 0, 0, 2, 1, 0, 0],
      ...[18, 0, 0, 0, 0, 0, 0, 0],
    ]);
    expect(Buffer.from(tree.encodeLv(tree.level('A', [tree.u32('n', 258)])))).toEqual(Buffer.from(bytes));
    expect(parseLv(bytes, 'test').number('A', 'n')).toBe(258);
  });

  it.each([
    [
      [11, 2, 0x41, 0, 0, 0, 255, 255, 255, 255, 28, 0, 0, 0, 0, 0, 0, 0],
      /^scan\.nd2: A!: the level "A" extends beyond its parent at byte 0 /,
    ],
    [
      [11, 2, 0x41, 0, 0, 0, 1, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, ...Array(8).fill(0)],
      /^scan\.nd2: A!: the level "A" extends beyond its parent at byte 0 /,
    ],
    [[10, 2, 0x41, 0, 0, 0], /unknown record type 10/],
    [[3, 2, 0x41, 0, 0, 0, 1, 0], /incomplete record/],
    [[8, 2, 0x41, 0, 0, 0, 0x41, 0], /incomplete record/],
    [[9, 2, 0x41, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1], /incomplete record/],
    [[], /incomplete record/],
  ])('that are truncated or inconsistent are refused (%#)', (bytes, message) => {
    const error = { code: 'decode_failed', message: expect.stringMatching(message) };
    expect(() => parseLv(Uint8Array.from(bytes as number[]), 'scan.nd2: A!')).toThrow(expect.objectContaining(error));
  });
});

describe('XML ND2 trees', () => {
  it('contain the same values as binary ones', () => {
    const root = unwrap(parseVariantXml(tree.encodeXml(sample)), 'SLxSample');
    expect([root.at('bYes'), root.at('bNo')]).toEqual([true, false]);
    expect([root.number('iMinus'), root.number('uiLong'), root.number('dHalf')]).toEqual([-7, 2 ** 40, 0.5]);
    expect(root.text('sName')).toBe('Plan Apo λ 60x');
    expect(
      root
        .level('aList')
        ?.levels()
        .map((item) => item.number('n')),
    ).toEqual([1, 2]);
    expect(root.number('uiLast')).toBe(9);
  });

  it('are parsed from UTF-16, as far as they go', () => {
    const text = '<variant><no_name runtype="CLxListVariant"><uiWidth runtype="lx_uint32" value="5"/><uiHei';
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    expect(unwrap(parseVariantXml(utf16), '').number('uiWidth')).toBe(5);
  });
});

const loopsOf = (node: tree.Nd2Node) => {
  const { loops, warnings } = parseLoops(unwrap(parseLv(tree.encodeLv(node), 'test'), 'SLxExperiment'));
  return { loops: loops.map(({ kind, size }) => `${kind}${size}`), warnings };
};

describe('ND2 loops', () => {
  it('are listed outermost first, without those of one entry', () => {
    expect(loopsOf(experiment(timeLoop(4), positionLoop(['a']), depthLoop(3, 1))).loops).toEqual(['T4', 'Z3']);
  });

  it('of wavelengths are channels, and the loops inside them count', () => {
    const spectral = { type: 6, pars: [tree.level('pPlanes', [tree.u32('uiCount', 2)])] };
    expect(loopsOf(experiment(timeLoop(4), spectral, depthLoop(3, 1))).loops).toEqual(['T4', 'Z3']);
  });

  it('of a custom type are time, with a warning', () => {
    const custom = { type: 7, pars: [tree.u32('uiCount', 6)] };
    expect(loopsOf(experiment(custom)).loops).toEqual(['T6']);
    expect(loopsOf(experiment(custom)).warnings).toEqual(['The experiment has a custom loop, which is shown as time.']);
  });

  it('below the parameters are found', () => {
    const inner = { ...experiment(depthLoop(5, 1)), name: '' } as tree.Nd2Node;
    const task = tree.level('', [
      tree.list('ppNextLevelEx', [tree.level('', [{ ...inner, name: 'SLxExperiment' } as tree.Nd2Node])]),
    ]);
    const outer = { type: 1, pars: [...timeLoop(4).pars, tree.list('pSubLoops', [task])] };
    expect(loopsOf(experiment(outer)).loops).toEqual(['T4', 'Z5']);
  });

  it('side by side count once, as the longest of them', () => {
    const child = (count: number) => ({ ...experiment(depthLoop(count, 1)), name: '' }) as tree.Nd2Node;
    const node = tree.level('SLxExperiment', [
      tree.u32('eType', 1),
      tree.level('uLoopPars', timeLoop(2).pars),
      tree.list('ppNextLevelEx', [child(3), child(7), child(5)]),
    ]);
    expect(loopsOf(node).loops).toEqual(['T2', 'Z7']);
  });

  it('number frames like digits, the innermost loop fastest', () => {
    const loops: Loop[] = [
      { kind: 'T', type: 1, size: 3 },
      { kind: 'S', type: 2, size: 4 },
      { kind: 'T', type: 1, size: 2 },
      { kind: 'Z', type: 4, size: 5 },
    ];
    const numbers = Array.from({ length: 120 }, (_, number) => number);
    const plan = planFrames(loops, numbers);
    expect(plan.scenes.map(({ T, Z }) => [T, Z])).toEqual(Array.from({ length: 4 }, () => [6, 5]));
    // Time 2 · 2 + 1 of position 1 at depth 3: ((2 · 4 + 1) · 2 + 1) · 5 + 3.
    expect(frameAt(plan, { T: 5, S: 1, Z: 3 })).toBe(98);
    const frames = new Set<number>();
    for (let S = 0; S < 4; S++) {
      for (let T = 0; T < 6; T++) for (let Z = 0; Z < 5; Z++) frames.add(frameAt(plan, { S, T, Z }));
    }
    expect([...frames].sort((a, b) => a - b)).toEqual(numbers);
  });

  it('join the names of nested position loops', () => {
    const loops: Loop[] = [
      { kind: 'S', type: 2, size: 2, names: ['A', 'B'] },
      { kind: 'S', type: 2, size: 3, names: ['1', '2', '3'] },
    ];
    const { scenes } = planFrames(loops, [0, 1, 2, 3, 4, 5]);
    expect(scenes.map(({ name }) => name)).toEqual(['A 1', 'A 2', 'A 3', 'B 1', 'B 2', 'B 3']);
  });

  it('with billions of entries cost nothing', () => {
    const loops: Loop[] = [
      { kind: 'T', type: 1, size: 4_000_000_000 },
      { kind: 'Z', type: 4, size: 4_000_000_000 },
    ];
    const plan = planFrames(loops, [0, 1, 2]);
    expect(plan.scenes).toEqual([{ position: 0, name: '', T: 1, Z: 3 }]);
  });
});
