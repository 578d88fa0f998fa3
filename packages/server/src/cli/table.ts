import { visible } from './visible.js';

/** Formats a table with two spaces between columns. Each column is as wide as its widest cell. */
export function toTable(cells: readonly (readonly string[])[], indent = ''): string {
  const rows = cells.map((row) => row.map(visible));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const toLine = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => `${indent}${toLine(row)}`.trimEnd()).join('\n');
}
