import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import { selectionWords } from '../stack/place.ts';
import { usePage } from './context.ts';
import type { Tab } from './tab.ts';
import { dragTab } from './tab-drag.ts';

/** Characters at the end of a name that are always legible: the number of a scan and the extension. */
const TAIL = 9;

/**
 * The open acquisitions. Arrow keys switch, Delete closes; the close buttons, the middle button and dragging are for the
 * pointer. The shown one is always in view.
 */
export function TabList() {
  const { workspace } = usePage();
  const list = useRef<HTMLDivElement>(null);
  const tabs = workspace.tabs.value;
  const active = workspace.active.value;
  const show = (tab: Tab | undefined) => {
    if (!tab) return;
    workspace.activate(tab);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = active ? tabs.indexOf(active) : -1;
    const target = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (target !== undefined) {
      event.preventDefault();
      show(tabs[(target + tabs.length) % tabs.length]);
    } else if (event.key === 'Delete' && active) {
      event.preventDefault();
      workspace.close(active);
      show(workspace.active.value ?? undefined);
    }
  };
  useEffect(() => {
    const strip = list.current;
    const show = () => strip && showWhole(strip);
    show();
    const resized = new ResizeObserver(show);
    if (strip) resized.observe(strip);
    return () => resized.disconnect();
  }, [active, tabs]);
  const onWheel = (event: WheelEvent) => {
    if (event.ctrlKey || !list.current) return;
    list.current.scrollLeft += event.deltaX + event.deltaY;
  };
  return (
    <div
      class="app-tabs"
      role="tablist"
      aria-label="Open acquisitions"
      ref={list}
      onKeyDown={onKeyDown}
      onWheel={onWheel}
    >
      {tabs.map((tab) => (
        <TabButton key={tab.document.id} tab={tab} selected={tab === active} />
      ))}
    </div>
  );
}

/** Scrolls a strip until its selected tab is wholly in view. */
function showWhole(strip: HTMLElement): void {
  const tab = strip.querySelector<HTMLElement>('.app-tab[data-selected="true"]');
  if (!tab) return;
  const left = tab.offsetLeft - strip.offsetLeft;
  const last = left + tab.offsetWidth - strip.clientWidth;
  strip.scrollLeft = Math.min(left, Math.max(strip.scrollLeft, last));
}

function TabButton({ tab, selected }: { tab: Tab; selected: boolean }) {
  const { workspace, beside } = usePage();
  const { id, info } = tab.document;
  const { source, selection } = info.value;
  const chosen = selectionWords(selection ?? {});
  const isLive = tab.live.value !== null;
  return (
    <span class="app-tab" role="presentation" data-selected={selected} data-beside={beside.other.value === tab}>
      <button
        type="button"
        role="tab"
        id={`tab-${id}`}
        aria-selected={selected}
        aria-controls="workbench"
        aria-keyshortcuts="Delete"
        tabIndex={selected ? 0 : -1}
        title={source.path}
        onClick={() => workspace.activate(tab)}
        onPointerDown={(event) => dragTab(event, tab, workspace)}
        // Otherwise Chromium begins to scroll, and no click comes.
        onMouseDown={(event) => event.button === 1 && event.preventDefault()}
        onAuxClick={(event) => event.button === 1 && workspace.close(tab)}
      >
        {info.value.warnings.length > 0 && <Icon name="warning" />}
        <span class="visually-hidden">
          {[source.name, ...chosen, isLive ? '(live)' : ''].filter(Boolean).join(' ')}
        </span>
        <span class="app-tab-name" aria-hidden="true">
          <span>{source.name.slice(0, -TAIL)}</span>
          <span>{source.name.slice(-TAIL)}</span>
        </span>
        {isLive && (
          <span class="app-tab-live" aria-hidden="true">
            live
          </span>
        )}
        {chosen.length > 0 && (
          <span class="app-muted" aria-hidden="true">
            {chosen.join(' ')}
          </span>
        )}
      </button>
      <button
        type="button"
        class="app-tab-close"
        tabIndex={-1}
        aria-hidden="true"
        title={`Close ${source.name} (Alt+W)`}
        onClick={() => workspace.close(tab)}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}
