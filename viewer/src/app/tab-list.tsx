import { useRef } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import { selectionWords } from '../stack/place.ts';
import { usePage } from './context.ts';
import type { Tab } from './tab.ts';

/** The open acquisitions. Arrow keys switch, Delete closes; the close buttons are for the pointer. */
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
  return (
    <div class="app-tabs" role="tablist" aria-label="Open acquisitions" ref={list} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <TabButton key={tab.document.id} tab={tab} selected={tab === active} />
      ))}
    </div>
  );
}

function TabButton({ tab, selected }: { tab: Tab; selected: boolean }) {
  const { workspace, beside } = usePage();
  const { id, info } = tab.document;
  const { source, selection } = info.value;
  const chosen = selectionWords(selection ?? {});
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
        onAuxClick={(event) => event.button === 1 && workspace.close(tab)}
      >
        {info.value.warnings.length > 0 && <Icon name="warning" />}
        <span class="app-tab-name">{source.name}</span>
        {chosen.length > 0 && <span class="app-muted">{chosen.join(' ')}</span>}
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
