import { describe, expect, it } from 'vitest';
import { parseXml } from '../../../src/io/xml.js';
import { figureSvg } from '../../../viewer/src/export/figure.ts';

const panel = {
  heading: 'Ca <fast> & "slow"',
  image: 'data:image/png;base64,AAAA',
  width: 400,
  height: 100,
  x: { title: 'time (s)', ticks: [0, 0.5].map((place) => ({ place, text: `${place * 2}` })) },
  y: { title: 'position (µm)', ticks: [{ place: 1, text: '0' }] },
  over: '',
  bar: { colors: ['rgb(0,0,0)', 'rgb(255,255,255)'], low: '12', high: '4000' },
};

describe('a figure', () => {
  it('contains titles, ticks at their positions and the ends of the colors as text', () => {
    const { svg, width, height } = figureSvg({ title: 'scan\u0001.oir', panels: [panel, panel] });
    const root = parseXml(svg);
    expect(root.root?.attributes['viewBox']).toBe(`0 0 ${width} ${height}`);
    expect(width).toBe(64 + 400 + 84);
    const text = svg.replace(/<[^>]+>/g, '|');
    for (const word of [
      'scan.oir',
      'Ca &lt;fast&gt; &amp; &quot;slow&quot;',
      'time (s)',
      'position (µm)',
      '12',
      '4000',
    ]) {
      expect(text).toContain(`|${word}|`);
    }
    // Half of 400 pixels: the tick of 1 s.
    expect(svg).toMatch(/<path d="M200 100v5"[^>]*\/><text x="200"[^>]*>1<\/text>/);
    // The highest color lies on top.
    expect(svg).toMatch(/y="0" width="12" height="50.5" fill="rgb\(255,255,255\)"/);
  });
});
