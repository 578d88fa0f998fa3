/** What is known of the acquisition, as tables. */
import { element, number } from './panel.js';

const UNITS = { seconds: 's', micrometer: 'µm' };

/** The header facts that a person wants; the whole response is one click away. */
export function factTable(answer) {
  const { source, header, channels } = answer;
  const rows = [
    ['Format', source.format],
    ['Path', source.path],
    ['Recorded', recorded(header)],
    ['Samples', `${header.dtype}, ${header.dims.map((dim) => `${dim} ${header.sizes[dim]}`).join(' × ')}`],
    ...header.dims.slice(1).map((dim, i) => [`Step of ${dim}`, stepText(header, i + 1)]),
    ['Channels', channels.map(({ name }) => name).join(', ')],
    ['File size', header.fileSize],
  ];
  return table(rows.filter(([, value]) => value));
}

function recorded({ date, time }) {
  return [date.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'), time].filter(Boolean).join(' ');
}

function stepText(header, i) {
  const unit = UNITS[header.physicalUnitsLabels[i]];
  if (!unit) return 'not known';
  const origin = { sidecar: ' (text file beside it)', derived: ' (derived)' }[header.calibration[i]] ?? '';
  return `${number(header.physicalUnits[i])} ${unit}${origin}`;
}

export function table(rows) {
  const made = element('table');
  for (const [name, value] of rows) {
    const row = element('tr');
    row.append(element('th', { scope: 'row' }, name), element('td', {}, String(value)));
    made.append(row);
  }
  return made;
}
