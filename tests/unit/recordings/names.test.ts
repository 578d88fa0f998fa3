/** Which names of files could be those of one recording. */
import { describe, expect, it } from 'vitest';
import {
  countedNames,
  hasNumber,
  labeledNames,
  withLastNumber,
} from '../../../packages/readers/src/recordings/names.js';

const counted = (name: string, names: string[]) => countedNames(name, names).map((one) => one.name);

describe('names with a number', () => {
  it.each(['a_1.tif', 'scan12.tif', 'x_t1.ome.tif'])('%s has one', (name) => expect(hasNumber(name)).toBe(true));

  it.each([
    'scan.tif',
    'scan.tf2',
    'scan (1).tif',
    'x_t1 - Copy.tif',
    'x_t1 - Copy (2).tif',
    'MAX_x_t1.tif',
    'AVG_x_00001.tif',
    'x_Preview_1.tif',
    'x_w1_s2_OverView.tif',
    'Reference_1.tif',
    'x_t1_thumb.tif',
  ])('%s proposes nothing', (name) => expect(hasNumber(name)).toBe(false));

  it('are in the order of their numbers, whatever their width', () => {
    const names = ['a_10.tif', 'a_9.tif', 'a_100000000000000000002.tif', 'a_100000000000000000001.tif', 'b_1.tif'];
    expect(counted('a_9.tif', names)).toEqual([
      'a_9.tif',
      'a_10.tif',
      'a_100000000000000000001.tif',
      'a_100000000000000000002.tif',
    ]);
  });

  it('differ in the last number alone, not in the extension, and not in more than case elsewhere', () => {
    const names = ['a_1_1.tif', 'a_1_2.tif', 'A_1_3.TIF', 'a_2_1.tif', 'a_1_4.tiff', 'a_1_5 (1).tif', 'ab_1_6.tif'];
    expect(counted('a_1_1.tif', names)).toEqual(['a_1_1.tif', 'a_1_2.tif', 'A_1_3.TIF']);
  });

  it('say what the one that is missing would be called', () => {
    const [first] = countedNames('a_00009.ome.tif', ['a_00009.ome.tif']);
    expect(withLastNumber(first!, 10n)).toBe('a_00010.ome.tif');
  });
});

describe('names with labeled numbers', () => {
  it('make a grid of all labels that vary', () => {
    const names = ['N_t00_z00_ch00.tif', 'N_t00_z00_ch01.tif', 'N_t01_z00_ch00.tif', 'N_t01_z00_ch01.tif'];
    const found = labeledNames(names[3]!, [...names, 'N_RAW_ch00.tif', 'M_t00_z00_ch00.tif']);
    expect(found).toMatchObject({ along: ['T', 'C'], texts: { T: ['t00', 't01'], C: ['ch00', 'ch01'] } });
    expect(found!.files.map(({ name }) => name)).toEqual(names);
    expect([found!.missing, found!.doubled]).toEqual([undefined, undefined]);
  });

  it.each([
    ['Series1_T0001.tif', 'Series1_T0002.tif', ['T']],
    ['x_time-1.tif', 'x_time-2.tif', ['T']],
    ['t1c1.tif', 't1c2.tif', ['C']],
    ['x_w405.tif', 'x_w561.tif', ['C']],
    ['x_pos 1.tif', 'x_pos 2.tif', ['S']],
  ])('%s and %s', (one, other, along) => expect(labeledNames(one, [one, other])?.along).toEqual(along));

  it.each([
    ['scan1.tif', 'scan2.tif'],
    ['test1.tif', 'test2.tif'],
    ['x_1.tif', 'x_2.tif'],
    ['x_t1_time1.tif', 'x_t2_time1.tif'],
    ['x_t1.tif', 'y_t2.tif'],
    ['x_constructor1.tif', 'x_constructor2.tif'],
  ])('are not in %s and %s', (one, other) => expect(labeledNames(one, [one, other])).toBeUndefined());

  it.each([
    [['x_t1_c1.tif', 'x_t1_c2.tif', 'x_t2_c1.tif'], 'x_t2_c2.tif'],
    [['x_t01.tif', 'x_t02.tif', 'x_t04.tif'], 'x_t03.tif'],
    [['x_t1.tif', 'x_t3.tif'], 'x_t2.tif'],
    [['x_t9.tif', 'x_t10.tif', 'x_t12.tif'], 'x_t11.tif'],
  ])('say which is missing of %j', (names, missing) => expect(labeledNames(names[0]!, names)?.missing).toBe(missing));

  it.each([[['x_z0.tif', 'x_z10.tif', 'x_z20.tif']], [['x_t9.tif', 'x_t10.tif']], [['x_c1.tif', 'x_c7.tif']]])(
    'are complete in %j',
    (names) => expect(labeledNames(names[0]!, names)?.missing).toBeUndefined(),
  );

  it('say which two stand for one place', () => {
    const names = ['x_t1.tif', 'x_t01.tif', 'x_t2.tif'];
    expect(labeledNames('x_t1.tif', names)?.doubled).toEqual(['x_t1.tif', 'x_t01.tif']);
  });
});
