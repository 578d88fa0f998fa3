import { type Signal, useSignal } from '@preact/signals';
import icon from '../../../viewer/src/app/icon.svg';
import { THEMES } from '../../../viewer/src/app/theme.ts';
import type { PageState } from '../../src/supervisor/protocol.ts';
import { DropZone } from './drop-zone.tsx';
import { HomePanel } from './home-panel.tsx';
import { Icon, type IconName } from './icons.tsx';
import { LogPanel } from './log-panel.tsx';
import { NoticeLines } from './notice-lines.tsx';
import { usePage } from './page.ts';
import { STATE_WORDS } from './server-card.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import { SupportPanel } from './support-panel.tsx';
import { UpdateLine } from './update-line.tsx';

const PANELS = [
  { name: 'server', label: 'Server', Panel: HomePanel },
  { name: 'log', label: 'Log', Panel: LogPanel },
  { name: 'settings', label: 'Settings', Panel: SettingsPanel },
  { name: 'support', label: 'Support', Panel: SupportPanel },
] as const satisfies readonly { name: IconName; label: string; Panel: (props: { state: PageState }) => unknown }[];

type PanelName = (typeof PANELS)[number]['name'];

export function App() {
  const { connection } = usePage();
  const shown = useSignal<PanelName>('server');
  const state = connection.state.value;
  return (
    <div class="page">
      <TopBar state={state} />
      <DropZone />
      <div class="lines">
        <NoticeLines />
        {state && <UpdateLine state={state} />}
      </div>
      <Tabs shown={shown} />
      <main>
        {state &&
          PANELS.map(({ name, Panel }) => (
            <section
              key={name}
              id={`panel-${name}`}
              role="tabpanel"
              aria-labelledby={`tab-${name}`}
              class="panel"
              hidden={shown.value !== name}
            >
              {/* The settings keep what was typed while another panel is shown. */}
              {(shown.value === name || name === 'settings') && <Panel state={state} />}
            </section>
          ))}
      </main>
    </div>
  );
}

function TopBar({ state }: { readonly state: PageState | null }) {
  const { connection, theme, run } = usePage();
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  return (
    <header class="top">
      <img src={icon} alt="" width="22" height="22" />
      <h1>Acquisition Store</h1>
      <span class="muted">{state?.version}</span>
      {state && (
        <span class="pill" data-state={state.server.name}>
          {STATE_WORDS[state.server.name]}
        </span>
      )}
      <div class="tools">
        <button
          type="button"
          class="quiet icon"
          aria-label={`Theme: ${theme.value}. Switch to ${next}`}
          title={`Theme: ${theme.value} (click for ${next})`}
          onClick={() => {
            theme.value = next;
          }}
        >
          <Icon name={theme.value} />
        </button>
        {state?.canQuit && (
          <button
            type="button"
            class="quiet with-icon"
            title="Stop the server and close the application"
            onClick={() => run(() => connection.post('quit'))}
          >
            <Icon name="power" />
            Quit
          </button>
        )}
      </div>
    </header>
  );
}

/** The panels as tabs: arrow keys move between them, as the pattern of tabs requires. */
function Tabs({ shown }: { readonly shown: Signal<PanelName> }) {
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = PANELS.findIndex(({ name }) => name === shown.value);
    const { name } = PANELS[(at + step + PANELS.length) % PANELS.length]!;
    shown.value = name;
    document.getElementById(`tab-${name}`)?.focus();
  };
  return (
    <nav class="tabs" aria-label="Parts of this window">
      <div role="tablist" aria-orientation="vertical" onKeyDown={move}>
        {PANELS.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            class="quiet with-icon"
            aria-selected={shown.value === name}
            aria-controls={`panel-${name}`}
            tabIndex={shown.value === name ? 0 : -1}
            onClick={() => {
              shown.value = name;
            }}
          >
            <Icon name={name} />
            {label}
          </button>
        ))}
      </div>
    </nav>
  );
}
