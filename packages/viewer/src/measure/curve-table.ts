/** Profiles as columns of a table. */
import { axisTitle, axisValue, type TableColumn } from '../export/csv.ts';
import type { Pane } from '../model/document.ts';
import type { Curve, Curves } from './curves.ts';

/** Returns the index and position along the axis, then the values of each channel; for a region mean, min and max. */
export function curveColumns(pane: Pane, { along, curves }: Curves): TableColumn[] {
  const axis = pane.plane.axes.find(({ arrayDimension }) => arrayDimension === (along === 'row' ? 1 : 0));
  const [curve] = curves;
  if (curve === undefined || axis === undefined) return [];
  const indices = Float64Array.from({ length: curve.values.length }, (_, i) => curve.first + i);
  const noun = pane.lineScan && along === 'column' ? 'line' : along === 'row' ? 'pixel' : 'row';
  const title = axisTitle(axis, pane.lineScan);
  const measured = along === 'column' ? pane.rowTimes.peek() : null;
  const positions = title === noun ? [] : [{ title, values: indices.map((index) => axisValue(axis, index, measured)) }];
  return [{ title: noun, values: indices }, ...positions, ...curves.flatMap(channelColumns)];
}

function channelColumns({ channel, values, band }: Curve): TableColumn[] {
  if (band === null) return [{ title: channel.name, values }];
  return [
    { title: `${channel.name} mean`, values },
    { title: `${channel.name} min`, values: band.min },
    { title: `${channel.name} max`, values: band.max },
  ];
}
