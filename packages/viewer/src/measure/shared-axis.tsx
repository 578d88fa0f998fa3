import { useEffect } from 'preact/hooks';
import { axesRoom, paintAxisBelow } from '../image/paint-axes.ts';
import { paletteOf } from '../image/palette.ts';
import { imageAreaOf, paneState, sharesColumn } from '../image/pane-state.ts';
import type { Pane } from '../model/document.ts';
import { useCanvas } from './use-canvas.ts';

/** The horizontal axis of a line scan, below the strips that are aligned with it. Images have their own. */
export function SharedAxis({ pane }: { readonly pane: Pane }) {
  return pane.axes.value && sharesColumn(pane) ? <Axis pane={pane} /> : null;
}

function Axis({ pane }: { readonly pane: Pane }) {
  useEffect(() => {
    const { axisBelow } = paneState(pane);
    axisBelow.value = true;
    return () => {
      axisBelow.value = false;
    };
  }, [pane]);
  const canvas = useCanvas(
    (context, { width, height }, element) => {
      context.clearRect(0, 0, width, height);
      const area = imageAreaOf(pane).value;
      if (area === null) return;
      context.translate(area.left, 0);
      paintAxisBelow(context, { pane, view: area.view, area, palette: paletteOf(element) });
    },
    [pane],
  );
  return <canvas ref={canvas} class="measure-axis" style={{ height: `${axesRoom().bottom}px` }} />;
}
