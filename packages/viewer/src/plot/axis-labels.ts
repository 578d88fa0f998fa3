import { formatNumber, formatPower } from '../model/number-text.ts';

const SUFFIXES = ['k', 'M', 'G'];

/**
 * Returns the labels of an axis in the first style in which all of them are at most `room` wide: `−12,500`, `−12500`,
 * `−12.5k`; in the narrowest where none is.
 */
export function axisLabels(
  values: readonly (number | null)[],
  room: number,
  measure: (text: string) => number,
): string[] {
  const plain = (value: number) => formatNumber(value, 6);
  const styles = [
    plain,
    (value: number) => plain(value).replaceAll(',', ''),
    ...SUFFIXES.map((suffix, i) => (value: number) => {
      return value === 0 ? '0' : `${plain(value / 1000 ** (i + 1))}${suffix}`;
    }),
    formatPower,
  ];
  const written = styles.map((style) => values.map((value) => (value === null ? '' : style(value))));
  const widths = written.map((labels) => Math.max(0, ...labels.map(measure)));
  const fitting = widths.findIndex((width) => width <= room);
  return written[fitting === -1 ? widths.indexOf(Math.min(...widths)) : fitting]!;
}
