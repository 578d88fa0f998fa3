import { useEffect, useRef } from 'preact/hooks';
import { ExportMenu } from '../export/export-menu.tsx';
import { PaneToolbar } from '../image/pane-toolbar.tsx';
import { IconButton } from '../image/tool-buttons.tsx';
import type { AcquisitionDocument } from '../model/document.ts';
import { BesideName } from '../model/region-label.ts';
import { traceDirection } from '../stack/traces.ts';
import { toAddress } from './address.ts';
import { LinkFiles } from './beside-bar.tsx';
import { usePage } from './context.ts';
import { copyText } from './copy.ts';
import { PanelEdge } from './panel-edge.tsx';
import { OVERLAYS, TOOLS } from './parts.ts';
import { looksLikePath } from './path-text.ts';
import { SheetBar } from './sheet-bar.tsx';
import { SideBar } from './side-bar.tsx';
import { Stage } from './stage.tsx';
import { StatusLine } from './status-line.tsx';
import type { Tab } from './tab.ts';
import { UnderImageButtons } from './under-image.tsx';
import { captureView } from './view-state.ts';

/** Images, side bar and status line of the active acquisition, and the images of another one beside it. */
export function Workbench({ tab }: { tab: Tab }) {
  const { sideShown, beside, phone } = usePage();
  const { document } = tab;
  const { pane, id } = document;
  const pair = beside.pair.value;
  const hasSide = phone.isNarrow.value ? phone.sheet.value !== null : sideShown.value;
  return (
    <main class="app-main">
      <div class="app-work" id="workbench" role="tabpanel" aria-labelledby={`tab-${id}`} data-side={sideShown.value}>
        <div class="app-toolbar" data-crowded={pair !== null}>
          <PaneToolbar document={document} pane={pane.value} tools={TOOLS}>
            <ToolbarEnd tab={tab} />
          </PaneToolbar>
        </div>
        <div class="app-images">
          {pair ? (
            <div class="app-columns">
              {pair.map((shown) => (
                <Column key={shown.document.id} tab={shown} active={shown === tab} />
              ))}
            </div>
          ) : (
            <Stage tab={tab} />
          )}
        </div>
        {phone.isNarrow.value ? <SheetBar /> : <PanelEdge />}
        {hasSide && <SideBar tab={tab} />}
        <StatusLine tab={tab} />
      </div>
    </main>
  );
}

/** One of two acquisitions beside each other, which becomes active when it is used. */
function Column({ tab, active }: { tab: Tab; active: boolean }) {
  const { workspace } = usePage();
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    const use = () => workspace.activate(tab);
    const column = element.current;
    column?.addEventListener('pointerdown', use, true);
    column?.addEventListener('focusin', use, true);
    return () => {
      column?.removeEventListener('pointerdown', use, true);
      column?.removeEventListener('focusin', use, true);
    };
  }, [tab, workspace]);
  const { name, path } = tab.document.info.value.source;
  return (
    <section ref={element} class="app-column" data-active={active} aria-label={name}>
      <h2 class="app-column-name" title={path}>
        {name}
      </h2>
      <BesideName.Provider value={name}>
        <Stage tab={tab} />
      </BesideName.Provider>
    </section>
  );
}

function ToolbarEnd({ tab }: { tab: Tab }) {
  const { renderer, beside, workspace, saving, traces } = usePage();
  const { document } = tab;
  const { shown, overlaid } = traces;
  return (
    <div class="app-bar-end">
      {beside.pair.value && <LinkFiles />}
      <UnderImageButtons document={document} />
      {traceDirection(document) !== null && (
        <IconButton
          icon="trace"
          label="Trace"
          hint="mean of the regions over time"
          pressed={shown.value}
          act={() => (shown.value = !shown.value)}
        />
      )}
      <ExportMenu
        open={saving}
        document={document}
        pane={document.pane.value}
        renderer={renderer()}
        overlays={OVERLAYS}
        tracesOverlaid={overlaid.value}
        serverUrl={workspace.server.client.baseUrl}
        hasServer={workspace.server.isThere}
        send={workspace.ways.offers('upload') ? (given) => void workspace.ways.send(given) : null}
        link={() => linkTo(document)}
        copy={copyText}
      />
    </div>
  );
}

/** Returns a link that restores what is on screen, on this server; null for a file that was sent to it. */
function linkTo(document: AcquisitionDocument): string | null {
  if (!looksLikePath(document.info.value.source.path)) return null;
  return location.origin + location.pathname + toAddress(document.info.value.source.path, captureView(document));
}
