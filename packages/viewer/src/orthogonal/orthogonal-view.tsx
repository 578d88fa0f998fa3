import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { usePage } from '../app/context.ts';
import { OVERLAYS, TOOLS } from '../app/parts.ts';
import { Picture } from '../app/picture.tsx';
import type { Tab } from '../app/tab.ts';
import { axesRoom, TICKS_HEIGHT } from '../image/paint-axes.ts';
import { CAPTION } from '../image/pane-room.ts';
import { frameOf } from '../image/pane-state.ts';
import { displayAxes } from '../image/plane-axes.ts';
import { useContentSize } from '../image/use-content-size.ts';
import type { Pane } from '../model/document.ts';
import type { Rect } from '../model/geometry.ts';
import { formatNumber } from '../model/number-text.ts';
import { documentAxis, PLURALS, type StackDim } from '../stack/place.ts';
import { OrthogonalBar } from './bar.tsx';
import { CrossSectionCard } from './cross-section-card.tsx';
import { CROSS, CROSS_TOOLS } from './cross-tool.ts';
import type { Fill } from './fill.ts';
import { depthOf, type Margins, type Proportions, placePictures } from './layout.ts';
import { createOrthogonal, type OrthogonalModel } from './model.ts';
import { isTooDeep, type ThirdAxis, thirdAxis, thirdDim } from './third-axis.ts';

const PLANE_TOOLS = [...TOOLS, ...CROSS_TOOLS];
const PLANE_OVERLAYS = [...OVERLAYS, CROSS];
/** Between the plane and the cross-section at its right, CSS pixels. */
const GAP = 8;

interface OrthogonalViewProps {
  readonly tab: Tab;
  readonly pane: Pane;
}

/** The plane of a stack with two cross-sections through a cross, to one scale. */
export function OrthogonalView({ tab, pane }: OrthogonalViewProps) {
  const { document } = tab;
  const dim = useComputed(() => thirdDim(document.info.value, pane.orthogonal.value.along)).value;
  return dim === null ? null : <Views key={dim} tab={tab} pane={pane} dim={dim} />;
}

function Views({ tab, pane, dim }: OrthogonalViewProps & { readonly dim: StackDim }) {
  const { workspace } = usePage();
  const { document } = tab;
  const third = useThirdAxis(tab, dim);
  const { transposed, upward } = pane.orientation.value;
  const shape = proportionsOf(pane, third);
  const { depth, fit } = shape;
  const model = useMemo(() => {
    const cut = { document, source: pane, stack: workspace.stackOf(tab), third };
    const times = dim === 'T' ? documentAxis(document, dim).measured : null;
    return isTooDeep(third, pane.shape) ? null : createOrthogonal(cut, { depth, fit }, times);
    // The pictures are made anew for another orientation.
  }, [tab, pane, third, depth, fit, transposed, upward]);
  if (model !== null) return <Pictures tab={tab} pane={pane} model={model} shape={shape} />;
  return (
    <>
      <p class="orthogonal-bar" role="status">
        {`Cross-sections through ${formatNumber(third.size)} ${PLURALS[dim]} are too large to be drawn; the limit is 16 million samples.`}
      </p>
      <Picture tab={tab} pane={pane} />
    </>
  );
}

/** Follows steps and measured values, which are read after the first plane or entered by hand. */
function useThirdAxis({ document }: Tab, dim: StackDim): ThirdAxis {
  const measured = useComputed(() => documentAxis(document, dim).measured).value;
  const scale = useComputed(() => {
    const { size, step, unit } = documentAxis(document, dim);
    return `${size} ${step} ${unit}`;
  }).value;
  return useMemo(() => thirdAxis(documentAxis(document, dim)), [document, dim, measured, scale]);
}

function proportionsOf(pane: Pane, third: ThirdAxis): Proportions {
  const { image, fit } = frameOf(pane, { width: 1, height: 1 });
  const upright = fit === 'fill' ? 1 : fit;
  const depth = depthOf(third, displayAxes(pane).x, { width: image.width, height: image.height * upright });
  return { across: image.width, down: image.height, fit: upright, rows: third.rows, depth };
}

function marginsOf(pane: Pane): Margins {
  const { left, right, top, bottom } = pane.axes.value ? axesRoom() : { left: 0, right: 0, top: 0, bottom: 0 };
  return { caption: CAPTION, left, right, top, bottom, ticks: pane.axes.value ? TICKS_HEIGHT : 0, gap: GAP };
}

function Pictures({
  tab,
  pane,
  model,
  shape,
}: OrthogonalViewProps & { readonly model: OrthogonalModel; readonly shape: Proportions }) {
  const root = useRef<HTMLDivElement>(null);
  const size = useContentSize(root).value;
  const fill = useStarted(model);
  const layout = size.width === 0 ? null : placePictures(size, shape, marginsOf(pane));
  model.layout = layout;
  return (
    <>
      <OrthogonalBar cut={model.cut} sections={model.sections} fill={fill} />
      <div class="orthogonal" ref={root}>
        {layout && (
          <div class="orthogonal-pictures" style={pixels({ x: 0, y: 0, ...layout.whole })}>
            <div class="orthogonal-plane" style={pixels(layout.plane)}>
              <Picture tab={tab} pane={pane} tools={PLANE_TOOLS} overlays={PLANE_OVERLAYS} />
            </div>
            {model.sections.map((section) => (
              <CrossSectionCard
                key={`${section.side} ${model.id}`}
                cut={model.cut}
                section={section}
                root={root}
                box={layout[section.side]}
                room={(size.width + layout.whole.width) / 2 - layout[section.side].x}
              />
            ))}
          </div>
        )}
      </div>
    </>
  );
}

/** Starts to read and to follow while the views are on screen; null before. */
function useStarted(model: OrthogonalModel): Fill | null {
  const fill: Signal<Fill | null> = useSignal(null);
  useLayoutEffect(() => {
    const started = model.start(PLANE_OVERLAYS);
    fill.value = started.fill;
    return () => {
      fill.value = null;
      started.stop();
    };
  }, [model]);
  return fill.value;
}

function pixels({ x, y, width, height }: Rect): Record<string, string> {
  return { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` };
}
