import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import { selectionWords } from '../stack/place.ts';
import { usePage } from './context.ts';
import { sizeText } from './details.ts';
import { Menu } from './menu.tsx';
import type { Tab } from './tab.ts';

/** All open acquisitions by name, for more tabs than fit beside each other. */
export function OpenList() {
  const { workspace, openListShown } = usePage();
  return (
    <Menu
      label={`${workspace.tabs.value.length} open`}
      icon={<Icon name="down" />}
      title="Find one of the open acquisitions (Alt+A)"
      shown={openListShown}
    >
      {(close) => <Finder close={close} />}
    </Menu>
  );
}

/** A field, and the acquisitions whose names contain its text. */
function Finder({ close }: { close: () => void }) {
  const { workspace } = usePage();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const text = useSignal('');
  const { active, tabs } = workspace;
  const at = useSignal(active.value ? tabs.value.indexOf(active.value) : 0);
  useEffect(() => field.current?.focus(), []);
  const wanted = text.value.trim().toLowerCase();
  const found = workspace.tabs.value.filter((tab) => nameOf(tab).toLowerCase().includes(wanted));
  const marked = Math.min(at.value, found.length - 1);
  const show = (tab: Tab | undefined) => {
    if (!tab) return;
    workspace.activate(tab);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, currentTarget } = event;
    const by = { ArrowDown: 1, ArrowUp: -1 }[key];
    const input = currentTarget as HTMLInputElement;
    // Otherwise Delete removes text.
    const closes = key === 'Delete' && input.selectionStart === input.value.length;
    if (by !== undefined) at.value = (marked + by + found.length) % Math.max(1, found.length);
    else if (key === 'Enter') show(found[marked]);
    else if (closes && found[marked]) workspace.close(found[marked]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        ref={field}
        type="search"
        class="app-find"
        aria-label="Find an open acquisition"
        aria-controls={id}
        aria-activedescendant={marked < 0 ? undefined : `${id}-${marked}`}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div class="app-found" role="listbox" id={id} aria-label="Open acquisitions">
        {found.map((tab, i) => (
          <Found key={tab.document.id} id={`${id}-${i}`} tab={tab} isMarked={i === marked} onClick={() => show(tab)} />
        ))}
      </div>
      <p class="app-muted app-found-hint" role="status">
        {found.length === 0
          ? `No open file is called “${text.value.trim()}”.`
          : `${found.length} of ${workspace.tabs.value.length} · Enter shows · Delete closes`}
      </p>
    </>
  );
}

interface FoundProps {
  readonly id: string;
  readonly tab: Tab;
  readonly isMarked: boolean;
  readonly onClick: () => void;
}

function Found({ id, tab, isMarked, onClick }: FoundProps) {
  const { workspace } = usePage();
  const entry = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isMarked) entry.current?.scrollIntoView({ block: 'nearest' });
  }, [isMarked]);
  const info = tab.document.info.value;
  const { source, selection, warnings } = info;
  const position = workspace.tabs.value.indexOf(tab) + 1;
  const picture = workspace.recents.value.find(({ path }) => path === source.path)?.picture;
  const known = warnings.length > 0 ? ['has warnings'] : [];
  const facts = [...selectionWords(selection ?? {}), sizeText(info), ...known];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, as those of search fields do
    <div
      ref={entry}
      id={id}
      class="app-entry"
      role="option"
      aria-selected={isMarked}
      title={source.path}
      onClick={onClick}
    >
      {picture ? <img class="recent-picture" src={picture} alt="" /> : <span class="recent-picture" />}
      <span class="recent-text">
        <span class="app-entry-name">{source.name}</span>
        <span class="app-muted">{facts.join(' · ')}</span>
      </span>
      {tab === workspace.active.value && <Icon name="check" />}
      {position < 10 && <kbd>Alt+{position}</kbd>}
    </div>
  );
}

const nameOf = (tab: Tab) => tab.document.info.value.source.name;
