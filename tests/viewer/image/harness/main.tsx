/** The cards of the viewer on a page of their own, with planes that the test makes up. */
import { render } from 'preact';
import type { OpenResponse, Plane } from '../../../../packages/client/src/contract/open.js';
import { CursorReadout, ZoomReadout } from '../../../../packages/viewer/src/image/cursor-readout.tsx';
import { cardView, imageAreaOf } from '../../../../packages/viewer/src/image/pane-state.ts';
import { PaneToolbar } from '../../../../packages/viewer/src/image/pane-toolbar.tsx';
import { PaneView } from '../../../../packages/viewer/src/image/pane-view.tsx';
import { type AcquisitionDocument, createDocument, type Pane } from '../../../../packages/viewer/src/model/document.ts';
import type { Overlay, Tool } from '../../../../packages/viewer/src/model/extension.ts';
import type { PlanePoint } from '../../../../packages/viewer/src/model/geometry.ts';
import { createRenderer } from '../../../../packages/viewer/src/render/renderer.ts';
import '../../../../packages/viewer/src/style/tokens.css';
import type { HarnessPlane, Harness as Offered } from '../harness-types.ts';
import './harness.css';

const real = createRenderer();
let draws = 0;
/** Counts how often an image is drawn. */
const renderer = new Proxy(real, {
  get(target, name) {
    if (name === 'draw') draws += 1;
    const value: unknown = Reflect.get(target, name, target);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});
const BINARY = {
  servedDtype: 'float32',
  encoding: 'raw-f32-le',
  layout: 'row-major',
  mediaType: 'application/octet-stream',
};
/** What the tool was told, as text. */
const told: string[] = [];
const tell = (what: string) => (point?: PlanePoint) =>
  told.push(point ? `${what} ${point.row.toFixed(1)} ${point.column.toFixed(1)}` : what);
const TOOLS: readonly Tool[] = [
  {
    id: 'region',
    label: 'Recorder',
    key: 'r',
    icon: 'region',
    cursor: 'cell',
    begin(point) {
      tell('begin')(point);
      return { move: tell('move'), end: tell('end'), cancel: () => tell('cancel')() };
    },
  },
];
/** A red square of 10 × 10 CSS pixels in the corner of the image. */
const OVERLAYS: readonly Overlay[] = [
  {
    id: 'corner',
    paint(context) {
      context.fillStyle = 'rgb(255 0 0)';
      context.fillRect(-10, -10, 20, 20);
    },
  },
];

function planeOf({ shape, y, x, channels }: HarnessPlane) {
  const axis = (arrayDimension: number, name: string, [step, unit]: readonly [number, string]) => ({
    arrayDimension,
    name,
    size: shape[arrayDimension] as number,
    step,
    unit,
  });
  return {
    plane: { shape: [...shape], axes: [axis(0, 'Y', y), axis(1, 'X', x)], ...BINARY } as Plane,
    channels: channels.map((name, index) => ({ index, name, byteLength: 4 * shape[0] * shape[1], dataUrl: '' })),
  };
}

/** Sample of channel c at row r and column k is 10000·c + (r·columns + k) mod 4096, so that a read-out names its place. */
function fill(pane: Pane): void {
  const [rows, columns] = pane.shape;
  for (const [position, channel] of pane.channels.entries()) {
    const data = new Float32Array(rows * columns);
    for (let i = 0; i < data.length; i++) data[i] = 10_000 * position + (i % 4096);
    channel.data.value = data;
    channel.load.value = { state: 'ready' };
    channel.display.value = { ...channel.display.value, min: 10_000 * position, max: 10_000 * position + 4096 };
  }
}

function Harness({ document }: { readonly document: AcquisitionDocument }) {
  const pane = document.pane.value;
  const parts = { document, tools: TOOLS, overlays: OVERLAYS, renderer };
  const reference = document.reference.value;
  return (
    <>
      <h1>Image cards</h1>
      <PaneToolbar document={document} pane={pane} tools={TOOLS} />
      <div class="harness-panes">
        <PaneView {...parts} pane={document.source.value} onRetry={(channel) => retried.push(channel.index)} />
        {reference && <PaneView {...parts} pane={reference} />}
      </div>
      <div class="harness-status">
        <CursorReadout pane={pane} /> <ZoomReadout pane={pane} />
      </div>
    </>
  );
}

const retried: number[] = [];
let shown: AcquisitionDocument;

function show(source: HarnessPlane, reference: HarnessPlane | null, filled = true): void {
  const info = {
    ...planeOf(source),
    reference: reference && { ...planeOf(reference), lineRoi: null, scanPath: null },
  } as OpenResponse;
  shown = createDocument({ info } as never);
  if (filled) {
    fill(shown.source.value);
    if (shown.reference.value) fill(shown.reference.value);
  }
  const root = document.getElementById('app') as HTMLElement;
  render(null, root);
  render(<Harness document={shown} />, root);
}

const pane = (kind: 'source' | 'reference') =>
  kind === 'source' ? shown.source.value : (shown.reference.value as Pane);

const harness: Offered = {
  show,
  view: (card: string, kind: 'source' | 'reference' = 'source') => cardView(pane(kind), card),
  area: () => imageAreaOf(pane('source')).value,
  pane,
  retried,
  draws: () => draws,
  told,
};
Object.assign(window, { harness });
