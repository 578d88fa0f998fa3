import { describe, expect, it } from 'vitest';
import { describeVolumes, orderByDepth } from '../../../packages/readers/src/model/metadata/depth-order.js';

/** The planes at the sections of a time point, and the sections of its planes. */
function placesAt(order: ReturnType<typeof orderByDepth>, t: number, count: number) {
  const indices = Array.from({ length: count }, (_, i) => i);
  return {
    planes: indices.map((z) => order.planeAt(t, z)),
    sections: indices.map((plane) => order.sectionOf(t, plane)),
  };
}

describe('the planes of stacks', () => {
  it('stay where they are when the positions repeat, also with some jitter', () => {
    const order = orderByDepth(
      [
        [0, 2, 4],
        [0.4, 1.6, 4.9],
      ],
      'stage positions',
    );
    expect(placesAt(order, 1, 3)).toEqual({ planes: [0, 1, 2], sections: [0, 1, 2] });
    expect(order.warnings).toEqual([]);
  });

  it('are put in the order of the first time point when every second one runs back', () => {
    const [up, down] = [
      [10, 12, 14, 16],
      [16, 14, 12, 10],
    ];
    const order = orderByDepth([up!, down!, up!, down!], 'stage positions');
    expect(placesAt(order, 0, 4).planes).toEqual([0, 1, 2, 3]);
    expect(placesAt(order, 1, 4)).toEqual({ planes: [3, 2, 1, 0], sections: [3, 2, 1, 0] });
    expect(placesAt(order, 2, 4).sections).toEqual([0, 1, 2, 3]);
    expect(placesAt(order, 3, 4).planes).toEqual([3, 2, 1, 0]);
    expect(order.warnings).toEqual([
      'The stage positions of 2 of 4 time points, the first T = 1 run in another order. Their planes were put in the order of ' +
        'the first time point.',
    ]);
  });

  it('are found by their positions in any order', () => {
    const order = orderByDepth(
      [
        [0, 5, 10, 20],
        [10.1, 0.2, 20.3, 4.9],
      ],
      'readings',
    );
    expect(placesAt(order, 1, 4)).toEqual({ planes: [1, 3, 0, 2], sections: [2, 0, 3, 1] });
    expect(order.warnings).toEqual([
      'The readings of T = 1 run in another order. Their planes were put in the order of the first time point.',
    ]);
  });

  it('are turned round when a whole stack runs the other way at other depths', () => {
    const order = orderByDepth(
      [
        [0, 1, 2],
        [103, 101, 100],
      ],
      'readings',
    );
    expect(placesAt(order, 1, 3).planes).toEqual([2, 1, 0]);
    expect(order.warnings[1]).toBe(
      'Sections are at other depths at other time points: by the readings, Z = 2 at T = 1 is 101 µm from where it was first.',
    );
  });

  it('are not moved when two are nearest to one section, and the farthest one is named', () => {
    const order = orderByDepth(
      [
        [0, 2, 4],
        [0, 0.4, 4],
        [0, 2, 5.5],
      ],
      'readings',
    );
    expect(placesAt(order, 1, 3).planes).toEqual([0, 1, 2]);
    expect(order.warnings).toEqual([
      'Sections are at other depths at other time points: by the readings, Z = 1 at T = 1 is 1.6 µm from where it was first.',
    ]);
  });

  it('of a stack that ended early are those of its own positions', () => {
    const order = orderByDepth(
      [
        [0, 2, 4],
        [4, 2],
      ],
      'readings',
    );
    expect(placesAt(order, 1, 3).planes).toEqual([undefined, 1, 0]);
    expect(placesAt(order, 1, 2).sections).toEqual([2, 1]);
    expect(orderByDepth([[0, 2, 4], [0]], 'readings').planeAt(1, 1)).toBeUndefined();
  });

  it('stay when the stage does not move, or moves far less than was set', () => {
    const still = (at: number[], set?: number) =>
      orderByDepth([at, [...at].reverse()], 'readings', set).warnings.length;
    expect(still([0, 0.009, 0.018])).toBe(0);
    expect(still([0, 0.011, 0.022])).toBe(1);
    expect(still([0, 0.39, 0.78], 2)).toBe(0);
    expect(still([0, 0.41, 0.82], 2)).toBe(1);
    // Four positions in a row are more than jitter.
    expect(still([0, 0.1, 0.2, 0.3], 1)).toBe(1);
    expect(still([0, Number.NaN, 4])).toBe(0);
  });
});

describe('the depths of volumes that number their sections', () => {
  const volume = (channel: number, t: number, at: number[]) => ({ channel, t, at: Float64Array.from(at) });
  const said = (...volumes: ReturnType<typeof volume>[]) =>
    describeVolumes(volumes, 'readings', { T: 3, set: undefined });

  it('are not described when they repeat', () => {
    expect(said(volume(0, 0, [0, 2, 4]), volume(0, 1, [0.5, 2, 4.9]), volume(1, 0, [0, 2, 3.1]))).toEqual([]);
  });

  it('are described when a time point runs in another order, once for all channels', () => {
    const back = [4, 2, 0];
    const volumes = [0, 1].flatMap((c) => [volume(c, 0, [0, 2, 4]), volume(c, 1, back), volume(c, 2, back)]);
    expect(said(...volumes)).toEqual([
      expect.stringMatching(/^The readings of 2 of 3 time points, the first T = 1 run in another order\. Planes stay/),
    ]);
  });

  it('are described where a section has moved farthest, and where channels differ', () => {
    expect(said(volume(0, 0, [0, 2, 4]), volume(0, 1, [0, 2, 5.5]), volume(0, 2, [1.2, 2, 4]))).toEqual([
      expect.stringContaining('Z = 2 at T = 1 is 1.5 µm from where it was first'),
    ]);
    expect(said(volume(0, 0, [0, 2, 4]), volume(1, 0, [0, 3.25, 4]))).toEqual([
      'Channels are at different depths: by the readings, Z = 1 of C = 1 is 1.25 µm from that of C = 0. The Z axis has the depths ' +
        'of the latter.',
    ]);
  });
});
