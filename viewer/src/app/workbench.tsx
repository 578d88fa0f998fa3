import { ExportMenu } from '../export/export-menu.tsx';
import { PaneToolbar } from '../image/pane-toolbar.tsx';
import { PaneView } from '../image/pane-view.tsx';
import { SplitPanes } from '../image/split-panes.tsx';
import type { AcquisitionDocument } from '../model/document.ts';
import { StackBar } from '../stack/stack-bar.tsx';
import { TraceStrip } from '../stack/trace-strip.tsx';
import { traceDirection } from '../stack/traces.ts';
import { toAddress } from './address.ts';
import { usePage } from './context.ts';
import { copyText } from './copy.ts';
import { OVERLAYS, TOOLS } from './parts.ts';
import { SideBar } from './side-bar.tsx';
import { StatusLine } from './status-line.tsx';
import type { Tab } from './tab.ts';
import { UnderImage, UnderImageButtons } from './under-image.tsx';
import { captureView } from './view-state.ts';

/** Images, side bar and status line of one acquisition. */
export function Workbench({ tab }: { tab: Tab }) {
  const { workspace, renderer, sideShown } = usePage();
  const { document } = tab;
  const { source, reference, pane, id } = document;
  const retry = () => void workspace.loadRest(tab);
  const common = { document, tools: TOOLS, overlays: OVERLAYS, renderer: renderer(), onRetry: retry };
  return (
    <main class="app-main">
      <div class="app-work" id="workbench" role="tabpanel" aria-labelledby={`tab-${id}`} data-side={sideShown.value}>
        <div class="app-images">
          <PaneToolbar document={document} pane={pane.value} tools={TOOLS}>
            <ToolbarEnd tab={tab} />
          </PaneToolbar>
          <div class="app-panes">
            <SplitPanes
              label="source and reference"
              storageKey="acqstore.divider"
              first={
                <div class="app-source-pane">
                  <PaneView key={`source ${id}`} pane={source.value} {...common} />
                  <StackBar
                    document={document}
                    stack={workspace.stackOf(tab)}
                    project={(projection) => void workspace.project(tab, projection)}
                    openKymograph={(line) => void workspace.openKymograph(tab, line)}
                  />
                  <TraceStrip document={document} stack={workspace.stackOf(tab)} />
                  <UnderImage document={document} />
                </div>
              }
              second={reference.value && <PaneView key={`reference ${id}`} pane={reference.value} {...common} />}
            />
          </div>
        </div>
        {sideShown.value && <SideBar tab={tab} />}
        <StatusLine tab={tab} />
      </div>
    </main>
  );
}

function ToolbarEnd({ tab }: { tab: Tab }) {
  const { renderer, workspace } = usePage();
  const { document } = tab;
  const { shown } = workspace.stackOf(tab).traceSettings;
  return (
    <div class="app-bar-end">
      <UnderImageButtons document={document} />
      {traceDirection(document) !== null && (
        <button
          type="button"
          class="quiet"
          aria-pressed={shown.value}
          title="Mean of the regions over time, under the image"
          onClick={() => {
            shown.value = !shown.value;
          }}
        >
          Trace
        </button>
      )}
      <ExportMenu
        document={document}
        pane={document.pane.value}
        renderer={renderer()}
        overlays={OVERLAYS}
        link={() => linkTo(document)}
        copy={copyText}
      />
    </div>
  );
}

/** Returns a link that restores what is on screen, on this server. */
function linkTo(document: AcquisitionDocument): string {
  return location.origin + location.pathname + toAddress(document.info.value.source.path, captureView(document));
}
