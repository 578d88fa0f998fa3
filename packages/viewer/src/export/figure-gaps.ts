/** What was not recorded, behind the curves of a figure. */
import { hatchLines, PRINT_GAP } from '../image/paint-gaps.ts';
import type { Rect, Size } from '../model/geometry.ts';
import { formatQuantity } from '../model/number-text.ts';
import type { Gap } from '../model/row-layout.ts';
import { LINE } from './figure-layout.ts';
import { escapeXml } from './xml.ts';

/** Points between the lines of the hatching. */
const PITCH = 3;

interface Plot {
  /** In points. */
  readonly size: Size;
  readonly font: number;
  measure(text: string): number;
}

/** Returns the hatched gaps of a plot; `at` is where a place of their axis lies. */
export function gapsSvg(gaps: readonly Gap[], at: (place: number) => number, plot: Plot): string {
  const area = { x: 0, y: 0, ...plot.size };
  return gaps
    .map((gap) => {
      const rect = { ...area, x: at(gap.start), width: at(gap.end) - at(gap.start) };
      return hatchSvg(rect, area) + (gap.isShortened ? lengthSvg(gap, rect, plot) : '');
    })
    .join('');
}

/** Draws the part of a hatched gap that lies in an area. */
function hatchSvg(gap: Rect, area: Rect): string {
  const left = Math.max(gap.x, area.x);
  const right = Math.min(gap.x + gap.width, area.x + area.width);
  if (right <= left) return '';
  const lines = hatchLines(gap, area, PITCH).map(([a, b]) => {
    const ends = `${round(a.x)},${round(a.y)} ${round(b.x)},${round(b.y)}`;
    return `<polyline points="${ends}" fill="none" stroke="${PRINT_GAP.line}" stroke-width="${LINE}"/>`;
  });
  const box = `x="${round(left)}" y="${round(area.y)}" width="${round(right - left)}" height="${round(area.height)}"`;
  return `<rect class="gap" ${box} fill="${PRINT_GAP.ground}"/>${lines.join('')}`;
}

/** Writes the length of a pause that is shortened into its gap, where there is room. */
function lengthSvg({ from, to }: Gap, { x, width, height }: Rect, { font, measure }: Plot): string {
  const text = formatQuantity(to - from, 'seconds', 3);
  const room = measure(text) + font / 2;
  if (room > width) return '';
  const middle = x + width / 2;
  const box = `x="${round(middle - room / 2)}" y="${round(height / 2 - 0.75 * font)}" width="${round(room)}" height="${1.5 * font}"`;
  return (
    `<rect ${box} fill="${PRINT_GAP.ground}"/>` +
    `<text x="${round(middle)}" y="${round(height / 2 + 0.36 * font)}" text-anchor="middle">${escapeXml(text)}</text>`
  );
}

const round = (value: number) => Math.round(value * 1e4) / 1e4;
