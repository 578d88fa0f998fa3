/** A figure for a paper or a slide: pictures with axes, titles and color bars, as SVG with the text as text. */

export interface FigureAxis {
  /** `time (s)` */
  readonly title: string;
  /** `place` 0–1 from the left or the top. */
  readonly ticks: readonly { readonly place: number; readonly text: string }[];
}

export interface FigurePanel {
  readonly heading: string;
  /** `data:image/png;…` of the picture, drawn at `width` × `height`. */
  readonly image: string;
  readonly width: number;
  readonly height: number;
  readonly x: FigureAxis;
  readonly y: FigureAxis;
  /** The colors from low to high, as `rgb(…)`, with the values of the ends. */
  readonly bar: { readonly colors: readonly string[]; readonly low: string; readonly high: string } | null;
}

export interface Figure {
  readonly title: string;
  readonly panels: readonly FigurePanel[];
}

const LEFT = 64;
const RIGHT = 84;
const TOP = 26;
const BOTTOM = 46;
const TITLE = 28;
const BAR = 12;

/** Black on white, whatever the theme of the page. */
export function figureSvg({ title, panels }: Figure): { svg: string; width: number; height: number } {
  const width = LEFT + RIGHT + Math.max(1, ...panels.map((panel) => panel.width));
  let y = TITLE;
  const drawn = panels.map((panel) => {
    const text = `<g transform="translate(${LEFT} ${y + TOP})">${drawPanel(panel)}</g>`;
    y += TOP + panel.height + BOTTOM;
    return text;
  });
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" ` +
    'font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#000">' +
    `<rect width="${width}" height="${y}" fill="#fff"/>` +
    `<text x="${LEFT}" y="20" font-size="13" font-weight="bold">${escaped(title)}</text>${drawn.join('')}</svg>`;
  return { svg, width, height: y };
}

function drawPanel({ heading, image, width, height, x, y, bar }: FigurePanel): string {
  return [
    `<text x="0" y="-8">${escaped(heading)}</text>`,
    `<image href="${image}" width="${width}" height="${height}" preserveAspectRatio="none" style="image-rendering:pixelated"/>`,
    `<rect width="${width}" height="${height}" fill="none" stroke="#000"/>`,
    ...x.ticks.map(({ place, text }) => {
      const at = round(place * width);
      return (
        `<path d="M${at} ${height}v5" stroke="#000"/>` +
        `<text x="${at}" y="${height + 18}" text-anchor="middle">${escaped(text)}</text>`
      );
    }),
    `<text x="${round(width / 2)}" y="${height + 36}" text-anchor="middle">${escaped(x.title)}</text>`,
    ...y.ticks.map(({ place, text }) => {
      const at = round(place * height);
      return (
        `<path d="M0 ${at}h-5" stroke="#000"/>` +
        `<text x="-8" y="${round(at + 4)}" text-anchor="end">${escaped(text)}</text>`
      );
    }),
    `<text transform="translate(-48 ${round(height / 2)}) rotate(-90)" text-anchor="middle">${escaped(y.title)}</text>`,
    bar === null ? '' : drawBar(bar, width + 12, height),
  ].join('');
}

/** One rectangle a color: gradients of hundreds of stops are drawn differently by each program. */
function drawBar({ colors, low, high }: NonNullable<FigurePanel['bar']>, x: number, height: number): string {
  const step = height / colors.length;
  const cells = colors.map((color, i) => {
    const top = round(height - (i + 1) * step);
    return `<rect x="${x}" y="${top}" width="${BAR}" height="${round(step + 0.5)}" fill="${color}"/>`;
  });
  return (
    `${cells.join('')}<rect x="${x}" y="0" width="${BAR}" height="${height}" fill="none" stroke="#000"/>` +
    `<text x="${x + BAR + 5}" y="10">${escaped(high)}</text><text x="${x + BAR + 5}" y="${height}">${escaped(low)}</text>`
  );
}

const round = (value: number) => Math.round(value * 100) / 100;

/** As text of XML; what XML cannot hold is left out. */
function escaped(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return [...text]
    .filter((one) => one >= ' ')
    .map((one) => names[one] ?? one)
    .join('');
}
