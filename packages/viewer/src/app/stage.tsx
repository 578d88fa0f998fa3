import { type ReadonlySignal, useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { widthBeside } from '../image/card-grid.ts';
import { aroundCard, shapeOf } from '../image/pane-room.ts';
import { isStretched } from '../image/pane-state.ts';
import { useContentSize } from '../image/use-content-size.ts';
import type { Pane } from '../model/document.ts';
import type { Size } from '../model/geometry.ts';
import { planeDims } from '../stack/place.ts';
import { StackBar } from '../stack/stack-bar.tsx';
import { TraceStrip } from '../stack/trace-strip.tsx';
import { traceDirection } from '../stack/traces.ts';
import { usePage } from './context.ts';
import { FollowButton } from './follow-button.tsx';
import { SHOW_NEWER } from './following.ts';
import { OrthogonalPart } from './orthogonal-part.tsx';
import { Picture } from './picture.tsx';
import type { Tab } from './tab.ts';
import { UnderImage } from './under-image.tsx';

/** Least width of a plot beside a picture, CSS pixels. */
const MIN_BESIDE = 330;
/** Height that traces need below a picture, CSS pixels. */
const TRACES_BELOW = 220;

/** The images of an acquisition with the plots beside and below them, and the slider of its time points and sections. */
export function Stage({ tab }: { tab: Tab }) {
  const { workspace, referenceEnlarged, traces, phone } = usePage();
  const { document } = tab;
  const stage = useRef<HTMLDivElement>(null);
  const room = useContentSize(stage);
  const stack = workspace.stackOf(tab);
  const beside = useTraceRoom(tab, room);
  const pane = document.source.value;
  const isOrthogonal = useComputed(() => {
    const { value: shown } = document.source;
    return shown.orthogonal.value.shown && planeDims(document.info.value, shown).length > 0;
  });
  const reference = referenceEnlarged.value ? document.reference.value : null;
  const hasTraces = traces.shown.value && traceDirection(document) !== null;
  return (
    <div class="app-panes">
      <div
        ref={stage}
        class="app-stage"
        data-part="stage"
        data-beside={hasTraces && beside.value > 0}
        style={{ '--traces': `${beside.value}px` }}
      >
        <div class="app-pictures">
          {isOrthogonal.value ? (
            <OrthogonalPart tab={tab} pane={pane} />
          ) : (
            <Picture tab={tab} pane={pane} hasChannelCards={!hasTraces} />
          )}
          {reference && <Picture tab={tab} pane={reference} />}
        </div>
        {beside.value > 0 && <TraceStrip document={document} stack={stack} settings={traces} fills />}
        {!reference && <UnderImage document={document} />}
        {beside.value === 0 && <TraceStrip document={document} stack={stack} settings={traces} fills={false} />}
      </div>
      <StackBar
        document={document}
        stack={stack}
        project={(projection) => void workspace.project(tab, projection)}
        openKymograph={(line) => void workspace.openKymograph(tab, line)}
        update={{ label: SHOW_NEWER, run: () => void workspace.following.update(tab) }}
      >
        {!phone.isNarrow.value && <FollowButton tab={tab} />}
      </StackBar>
    </div>
  );
}

/** Width of the traces beside the picture, which is larger then than above them; 0 below it. */
function useTraceRoom(tab: Tab, room: ReadonlySignal<Size>): ReadonlySignal<number> {
  const { source } = tab.document;
  return useComputed(() => traceRoom(source.value, room.value));
}

function traceRoom(pane: Pane, room: Size): number {
  const { width, height } = room;
  if (width === 0 || isStretched(pane)) return 0;
  const around = aroundCard(pane);
  const ratio = shapeOf(pane);
  const wide = (across: number, down: number) => Math.min(across - around.width, (down - around.height) / ratio);
  const beside = Math.round(Math.max(MIN_BESIDE, widthBeside(room, ratio, around)));
  return wide(width - beside, height) > wide(width, height - TRACES_BELOW) ? beside : 0;
}
