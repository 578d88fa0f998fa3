import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { copyText } from '../../../viewer/src/app/copy.ts';
import type { LogLine, PageState } from '../../src/supervisor/protocol.ts';
import { usePage } from './page.ts';

type Shown = 'all' | 'info' | 'problems';

export function LogPanel({ state }: { readonly state: PageState }) {
  const { connection, notice, run } = usePage();
  const filter = useSignal('');
  const level = useSignal<Shown>('all');
  const follow = useSignal(true);
  const box = useRef<HTMLDivElement>(null);
  const lines = connection.lines.value.filter((line) => matches(line, filter.value, level.value));
  const last = lines.at(-1)?.number;
  useEffect(() => {
    if (follow.value && last !== undefined) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [last, follow.value]);
  const copy = async () => {
    const done = await copyText(lines.map(toText).join('\n'));
    if (done) notice.value = { kind: 'info', text: `${lines.length} lines were copied.` };
    else notice.value = { kind: 'error', text: 'The clipboard is not available.' };
  };
  return (
    <div class="log-panel">
      <div class="toolbar">
        <input
          type="search"
          aria-label="Filter the log"
          placeholder="Filter"
          value={filter.value}
          onInput={(event) => {
            filter.value = event.currentTarget.value;
          }}
        />
        <select
          aria-label="Lines to show"
          value={level.value}
          onChange={(event) => {
            level.value = event.currentTarget.value as Shown;
          }}
        >
          <option value="all">All lines</option>
          <option value="problems">Warnings and errors</option>
        </select>
        <label class="check">
          <input
            type="checkbox"
            checked={follow.value}
            onChange={(event) => {
              follow.value = event.currentTarget.checked;
            }}
          />
          Follow
        </label>
        <span class="muted count">
          {lines.length} of {connection.lines.value.length} lines
        </span>
        <button type="button" onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" title={state.logFile} onClick={() => run(() => connection.post('log/reveal'))}>
          Show the file
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <div class="log" role="log" aria-label="Log of the server" aria-live="off" tabIndex={0} ref={box}>
        {lines.map((line) => (
          <div key={line.number} class="log-line" data-level={line.level}>
            <span class="log-time">{line.time === 0 ? '' : new Date(line.time).toLocaleTimeString()}</span>
            <span class="log-level">{line.level}</span>
            <span class="log-text">{line.text}</span>
          </div>
        ))}
        {lines.length === 0 && <p class="muted">No lines match.</p>}
      </div>
    </div>
  );
}

function matches({ text, level }: LogLine, filter: string, shown: Shown): boolean {
  if (shown === 'problems' && level !== 'warn' && level !== 'error') return false;
  return text.toLowerCase().includes(filter.trim().toLowerCase());
}

function toText({ time, level, text }: LogLine): string {
  return `${time === 0 ? '' : new Date(time).toISOString()} ${level} ${text}`;
}
