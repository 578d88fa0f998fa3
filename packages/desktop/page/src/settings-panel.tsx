import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { PageState, SettingFaults, Settings } from '../../src/supervisor/protocol.ts';
import { RequestError } from './connection.ts';
import { usePage } from './page.ts';
import { UpdatesCard } from './updates-card.tsx';

/** The settings as texts, as they are typed. */
type Draft = Record<'port' | 'roots' | 'allowOrigins' | 'sessionTtlSeconds' | 'memoryBudget', string> & {
  allowFilePages: boolean;
};

export function SettingsPanel({ state }: { readonly state: PageState }) {
  const { connection, notice, run } = usePage();
  const draft = useSignal<Draft>(toDraft(state.settings));
  const faults = useSignal<SettingFaults>({});
  const saved = JSON.stringify(state.settings);
  // Also after a change elsewhere: another port was chosen, or the file was edited by hand.
  useEffect(() => {
    draft.value = toDraft(state.settings);
    faults.value = {};
  }, [saved]);
  const isChanged = JSON.stringify(toSettings(draft.value)) !== saved;
  const save = (event: Event) => {
    event.preventDefault();
    run(async () => {
      try {
        await connection.post('settings', toSettings(draft.value));
        faults.value = {};
        notice.value = { kind: 'info', text: 'The settings were saved.' };
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        faults.value = error.faults;
        if (Object.keys(error.faults).length === 0) throw error;
      }
    });
  };
  const set = (changes: Partial<Draft>) => {
    draft.value = { ...draft.value, ...changes };
  };
  const field = (key: Exclude<keyof Draft, 'allowFilePages'>) => ({
    id: `setting-${key}`,
    value: draft.value[key],
    spellcheck: false,
    'aria-invalid': faults.value[key] !== undefined,
    'aria-describedby': `note-${key}`,
    onInput: (event: { currentTarget: { value: string } }) => set({ [key]: event.currentTarget.value }),
  });
  return (
    <>
      <form class="card settings" onSubmit={save} noValidate>
        {state.restartNeeded && <RestartLine />}
        {state.settingsProblem !== '' && (
          <p class="notice" data-kind="error">
            {state.settingsProblem} Saving replaces the file.
          </p>
        )}
        <Row name="port" label="Port" fault={faults.value.port} note="Part of the address. 8767 by default.">
          <input type="number" min="1" max="65535" {...field('port')} />
        </Row>
        <Row
          name="roots"
          label="Only open files in"
          fault={faults.value.roots}
          note="One folder per line; empty for any folder. Files that you choose in a dialog always open."
        >
          <textarea rows={2} {...field('roots')} />
        </Row>
        <Row
          name="allowOrigins"
          label="Websites that may use the server"
          fault={faults.value.allowOrigins}
          note="One address per line, such as https://lab.example. Pages of this computer always may."
        >
          <textarea rows={2} {...field('allowOrigins')} />
        </Row>
        <div class="row">
          <span />
          <label class="check">
            <input
              type="checkbox"
              checked={draft.value.allowFilePages}
              onChange={(event) => set({ allowFilePages: event.currentTarget.checked })}
            />
            Let HTML files on this computer open acquisitions by path
          </label>
        </div>
        <Row
          name="sessionTtlSeconds"
          label="Keep acquisitions open for"
          fault={faults.value.sessionTtlSeconds}
          note="Seconds without renewal. 600 by default."
        >
          <input type="number" min="10" max="86400" {...field('sessionTtlSeconds')} />
        </Row>
        <Row
          name="memoryBudget"
          label="Memory for images"
          fault={faults.value.memoryBudget}
          note="For example 4GB. Empty for a quarter of the memory of this computer."
        >
          <input type="text" {...field('memoryBudget')} />
        </Row>
        <LoginRow state={state} />
        <div class="row actions">
          <span />
          <span>
            <button type="submit" class="primary" disabled={!isChanged && state.settingsProblem === ''}>
              Save
            </button>{' '}
            <button type="button" disabled={!isChanged} onClick={() => set(toDraft(state.settings))}>
              Discard changes
            </button>
          </span>
        </div>
        <p class="muted path-note">Saved in {state.settingsFile}</p>
      </form>
      <UpdatesCard state={state} />
    </>
  );
}

function RestartLine() {
  const { connection, run } = usePage();
  return (
    <div class="notice" data-kind="info">
      <span>The saved settings apply at the next start of the server. A restart ends open acquisitions.</span>
      <button type="button" onClick={() => run(() => connection.post('restart'))}>
        Restart now
      </button>
    </div>
  );
}

function LoginRow({ state }: { readonly state: PageState }) {
  const { connection, run } = usePage();
  const { available, enabled } = state.startAtLogin;
  const change = (event: { currentTarget: HTMLInputElement }) => {
    const { checked } = event.currentTarget;
    run(() => connection.post('start-at-login', { enabled: checked }));
  };
  return (
    <div class="row">
      <span />
      <span>
        <label class="check">
          <input type="checkbox" checked={enabled} disabled={!available} onChange={change} />
          Start when I log in
        </label>
        {!available && <p class="muted">Only the installed application on Linux can do this yet.</p>}
      </span>
    </div>
  );
}

interface RowProps {
  readonly name: keyof Settings;
  readonly label: string;
  readonly note: string;
  readonly fault: string | undefined;
  readonly children: ComponentChildren;
}

function Row({ name, label, note, fault, children }: RowProps) {
  return (
    <div class="row">
      <label for={`setting-${name}`}>{label}</label>
      <div>
        {children}
        <p id={`note-${name}`} class={fault === undefined ? 'muted' : 'fault'}>
          {fault ?? note}
        </p>
      </div>
    </div>
  );
}

function toDraft(settings: Settings): Draft {
  const { port, roots, allowOrigins, allowFilePages, sessionTtlSeconds, memoryBudget } = settings;
  return {
    port: String(port),
    roots: roots.join('\n'),
    allowOrigins: allowOrigins.join('\n'),
    allowFilePages,
    sessionTtlSeconds: String(sessionTtlSeconds),
    memoryBudget,
  };
}

/** Texts that are not numbers are sent as null, which the supervisor refuses with a message. */
function toSettings(draft: Draft): Settings {
  return {
    port: toNumber(draft.port),
    roots: toLines(draft.roots),
    allowOrigins: toLines(draft.allowOrigins),
    allowFilePages: draft.allowFilePages,
    sessionTtlSeconds: toNumber(draft.sessionTtlSeconds),
    memoryBudget: draft.memoryBudget.trim(),
  };
}

function toNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

function toLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
