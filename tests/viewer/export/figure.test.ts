import { describe, expect, it } from 'vitest';
import { parseXml } from '../../../packages/readers/src/io/xml.js';
import { figureSvg } from '../../../packages/viewer/src/export/figure.ts';
import { barLengths, NO_BARS } from '../../../packages/viewer/src/export/figure-bars.ts';
import { figureWarnings, pixelsOf, toChoices } from '../../../packages/viewer/src/export/figure-choices.ts';
import {
  type FigurePicture,
  type FigureStyle,
  layoutFigure,
  PER_MM,
} from '../../../packages/viewer/src/export/figure-layout.ts';
import { spread } from '../../../packages/viewer/src/export/figure-montage.ts';
import { valueTicks } from '../../../packages/viewer/src/export/figure-plot.ts';
import { toPresets } from '../../../packages/viewer/src/export/figure-presets.ts';
import { pdfRuns, pdfWidth } from '../../../packages/viewer/src/export/pdf-text.ts';
import { barLabel } from '../../../packages/viewer/src/image/ticks.ts';

const name = {
  text: 'Ca <fast> & "slow"',
  colors: ['rgb(0,0,0)', 'rgb(255,255,255)'],
  low: '12',
  high: '4000',
};
const picture = (ratio: number, names = [name]): FigurePicture => ({
  ratio,
  names,
  axis: (along, length) =>
    along === 'x'
      ? { title: 'time (s)', ticks: [0, 0.5].map((place) => ({ place, text: `${place * 2}` })) }
      : { title: length > 40 ? 'position (µm)' : 'µm', ticks: [{ place: 1, text: '0' }] },
});

function style(mm: number, dpi: number, more: Partial<FigureStyle> = {}): FigureStyle {
  const pixels = pixelsOf(mm, dpi);
  const pixel = (mm * PER_MM) / pixels;
  const font = 7;
  return {
    width: pixels * pixel,
    pixel,
    font,
    columns: 3,
    axes: true,
    shared: true,
    names: true,
    colorBars: true,
    title: 'scan\u0001.oir',
    note: '',
    plot: null,
    measure: (text) => text.length * 0.55 * font,
    ...more,
  };
}

const three = [picture(0.75), picture(0.75), picture(0.75)];

describe('the layout of a figure', () => {
  it.each([
    [85, 300, 1004],
    [114, 300, 1346],
    [174, 300, 2055],
    [85, 600, 2008],
    [114, 600, 2693],
    [174, 600, 4110],
  ])('of %s mm at %s dpi has %s pixels, and every picture begins and ends between two of them', (mm, dpi, pixels) => {
    expect(pixelsOf(mm, dpi)).toBe(pixels);
    const { pixel } = style(mm, dpi);
    const placed = layoutFigure(three, style(mm, dpi));
    expect(placed.width / pixel).toBeCloseTo(pixels, 6);
    const edges = placed.pictures.flatMap(({ box: { x, y, width, height } }) => [x, y, x + width, y + height]);
    for (const edge of [...edges, placed.height]) expect(edge / pixel).toBeCloseTo(Math.round(edge / pixel), 5);
    for (const { box } of placed.pictures) {
      expect(Math.abs(box.height - 0.75 * box.width)).toBeLessThanOrEqual(pixel);
      expect(box.x + box.width).toBeLessThan(placed.width);
    }
  });

  it('labels axes once per row and column when all pictures show the same part', () => {
    const labeled = (more: Partial<FigureStyle>) =>
      layoutFigure(three, style(174, 300, more)).pictures.map(({ x, y }) => `${x ? 'x' : ''}${y ? 'y' : ''}`);
    expect(labeled({})).toEqual(['xy', 'x', 'x']);
    expect(labeled({ columns: 1 })).toEqual(['y', 'y', 'xy']);
    expect(labeled({ columns: 2 })).toEqual(['y', 'x', 'xy']);
    expect(labeled({ shared: false })).toEqual(['xy', 'xy', 'xy']);
    expect(labeled({ axes: false })).toEqual(['', '', '']);
  });

  it('uses all of the width for the pictures without axes', () => {
    const placed = layoutFigure([picture(1)], style(85, 300, { columns: 1, axes: false, names: false, title: '' }));
    const { x, y, width } = placed.pictures[0]!.box;
    expect(width / placed.width).toBeGreaterThan(0.98);
    expect(Math.max(x, y)).toBeLessThan(1);
  });

  it('breaks names and long titles into lines inside the figure', () => {
    const narrow = style(85, 300, { columns: 3, title: 'word '.repeat(40) });
    const placed = layoutFigure([picture(1, [name, name]), picture(1), picture(1)], narrow);
    expect(placed.title.length).toBeGreaterThan(1);
    for (const { text, x } of placed.title) expect(x + narrow.measure(text)).toBeLessThanOrEqual(narrow.width);
    for (const { box, names } of placed.pictures) {
      for (const { text, x, y } of names) {
        expect(x + narrow.measure(text)).toBeLessThanOrEqual(box.width);
        expect(y).toBeLessThan(0);
        expect(box.y + y).toBeGreaterThan(placed.title.at(-1)!.y);
      }
    }
    const tops = placed.pictures.map(({ box }) => box.y);
    expect(new Set(tops).size).toBe(1);
  });
});

describe('a figure as SVG', () => {
  it('contains titles, ticks at their positions and the ends of the colors as text', () => {
    const placed = layoutFigure(three, style(174, 300));
    const content = { image: 'data:image/png;base64,AAAA', over: '', bars: NO_BARS };
    const measure = (text: string) => text.length * 4;
    const svg = figureSvg({
      family: 'sans',
      placed,
      pixel: style(174, 300).pixel,
      contents: [content, content, content],
      font: 7,
      measure,
    });
    const { root } = parseXml(svg);
    expect(root?.attributes['width']).toBe('174mm');
    const [, , width = 0, height = 0] = root?.attributes['viewBox']?.split(' ').map(Number) ?? [];
    expect(width).toBe(2055);
    expect(pixelsOf(Number.parseFloat(root?.attributes['height'] ?? ''), 300)).toBe(height);
    const text = svg.replace(/<[^>]+>/g, '|');
    for (const word of ['scan.oir', 'Ca &lt;fast&gt; &amp; &quot;slow&quot;', 'time (s)', '12', '4000']) {
      expect(text).toContain(`|${word}|`);
    }
    const { box } = placed.pictures[0]!;
    // The tick of 1 s is in the middle.
    expect(svg).toContain(`<path d="M${Math.round(0.5 * box.width * 1e4) / 1e4} `);
  });
});

describe('the choices of a figure', () => {
  it('are kept where they are valid', () => {
    const kept = { layout: 'grid', width: 85, dpi: 600, font: 6.5, axes: false, title: true };
    expect(toChoices(kept)).toEqual(kept);
    const wrong = { layout: 'heap', width: 1e9, dpi: 301, font: '7', axes: 'no', barLength: -5, other: 1 };
    expect(toChoices(wrong)).toEqual({});
    for (const value of [null, undefined, 'text', 5]) expect(toChoices(value)).toEqual({});
  });

  it('warn of small text, high figures and narrow pictures', () => {
    expect(figureWarnings({ font: 6, height: 100, picture: 40 })).toEqual([]);
    expect(figureWarnings({ font: 5.5, height: 100, picture: 40 })).toEqual([expect.stringContaining('5.5 pt high')]);
    expect(figureWarnings({ font: 7, height: 300, picture: 8.04 })).toEqual([
      expect.stringContaining('300 mm high'),
      expect.stringContaining('8.0 mm wide'),
    ]);
  });

  it('have round lengths of a scale bar that fit, in whole samples without calibration', () => {
    expect(barLengths('micrometer', 50.4)).toEqual([20, 10, 5, 2]);
    expect(barLengths('Pixels', 4)).toEqual([2, 1]);
    expect(barLengths('seconds', 0)).toEqual([]);
    expect(barLabel('seconds', 0.05, 'lines')).toBe('50 ms');
    expect(barLabel('Pixels', 20, 'px')).toBe('20 px');
  });
});

describe('text of a PDF', () => {
  it('is as wide as in the metrics of Helvetica', () => {
    // 278 + 3 · 556 and 722 + 556, from the Adobe font metrics.
    const regular = { bold: false };
    expect(pdfWidth(' 123', regular)).toBeCloseTo(1.946, 6);
    expect(pdfWidth('Ca', { bold: true })).toBeCloseTo(1.278, 6);
    expect(pdfWidth('é', regular)).toBe(pdfWidth('e', regular));
    expect(pdfWidth('10 µm', regular)).toBeCloseTo(2 * 0.556 + 0.278 + 0.556 + 0.833, 6);
    // By ReportLab, which has the metrics of Adobe.
    expect(pdfWidth('Calcium (s)', { bold: false, serif: true })).toBeCloseTo(4.694, 6);
    expect(pdfWidth('Calcium (s)', { bold: true, serif: true })).toBeCloseTo(4.916, 6);
  });

  it('has Greek letters and signs in their own codes, and refuses others by name', () => {
    expect(pdfRuns('−1 µm')).toEqual([{ symbol: false, codes: [0x96, 0x31, 0x20, 0xb5, 0x6d] }]);
    expect(pdfRuns('σ 2')).toEqual([
      { symbol: true, codes: [0x73] },
      { symbol: false, codes: [0x20, 0x32] },
    ]);
    expect(() => pdfRuns('測')).toThrow('The fonts of a PDF do not have the letter “測”. Save the figure as SVG.');
  });
});

describe('a montage', () => {
  it('has planes spread over a range, each once, in either direction', () => {
    expect(spread(0, 13, 4)).toEqual([0, 4, 9, 13]);
    expect(spread(2, 4, 6)).toEqual([2, 3, 4]);
    expect(spread(9, 1, 3)).toEqual([9, 5, 1]);
    expect(spread(5, 5, 6)).toEqual([5]);
  });
});

describe('the values beside curves', () => {
  it.each([
    [0, 1, 6, ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0']],
    [-0.12, 0.95, 4, ['0.0', '0.5']],
    [9500, 23_700, 3, ['10,000', '15,000', '20,000']],
    [0.0011, 0.0019, 3, ['0.0012', '0.0014', '0.0016', '0.0018']],
  ] as const)('from %s to %s are round', (from, to, most, labels) => {
    const ticks = valueTicks({ from, to }, most);
    expect(ticks.map(({ text }) => text)).toEqual(labels);
    for (const { place, text } of ticks) {
      expect(place).toBeCloseTo((to - Number(text.replace(',', ''))) / (to - from), 9);
    }
  });
});

describe('presets of figures', () => {
  it('are kept where they are valid, each name once', () => {
    const choices = { width: 85, barLength: 5, planes: 'Z', traces: 'below' };
    const stored = [
      { name: 'Paper', choices },
      { name: 'Paper', choices: {} },
      { name: '' },
      null,
      { name: 'x'.repeat(99) },
    ];
    expect(toPresets(stored)).toEqual([{ name: 'Paper', choices }]);
    for (const value of [null, 'text', {}]) expect(toPresets(value)).toEqual([]);
  });
});
