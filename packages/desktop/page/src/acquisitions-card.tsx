import { formatBytes } from '../../../viewer/src/model/number-text.ts';
import type { OpenAcquisition, Opener, PageState } from '../../src/supervisor/protocol.ts';
import { clock } from './clock.ts';
import { Icon } from './icons.tsx';
import { usePage } from './page.ts';

/** What the server has open, for whom, and how much memory it takes. */
export function AcquisitionsCard({ state }: { readonly state: PageState }) {
  const { open } = state;
  if (open === null) return null;
  return (
    <div class="card">
      <div class="card-head">
        <h2>Open acquisitions</h2>
        <span class="muted" title="Acquisitions of one file share their planes">
          {formatBytes(open.usedBytes)} of {formatBytes(open.budgetBytes)} in memory
        </span>
      </div>
      {open.list.length === 0 ? (
        <p class="muted">Acquisitions that this window, the viewer or another program has open are listed.</p>
      ) : (
        <ul class="acquisitions">
          {open.list.map((acquisition) => (
            <Row key={acquisition.number} acquisition={acquisition} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Row({ acquisition }: { readonly acquisition: OpenAcquisition }) {
  const { connection, open, run, waiting } = usePage();
  const { number, name, path, openedAt, expiresAt, canView } = acquisition;
  return (
    <li>
      <div class="acquisition-text">
        <p>
          <strong title={path}>{name}</strong> <span class="muted">{contents(acquisition)}</span>
        </p>
        <p class="muted one-line" title={path}>
          {path === name ? 'sent by a page' : path}
        </p>
        <p class="muted">
          Opened {opener(acquisition.openedBy)} at {clock(openedAt)}, closes at {clock(expiresAt)} unless renewed
        </p>
      </div>
      {canView && (
        <button
          type="button"
          class="quiet icon"
          aria-label={`Show ${name} in the viewer`}
          title="Show in the viewer"
          disabled={waiting.value !== null}
          onClick={() => open(`Opening ${name}…`, 'acquisitions/view', { number })}
        >
          <Icon name="view" />
        </button>
      )}
      <button
        type="button"
        class="quiet icon"
        aria-label={`Close ${name}`}
        title="Close it, and free its memory. Its program has to open the file again"
        onClick={() => run(() => connection.post('acquisitions/end', { number }))}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

function contents({ scene, planes, bytes }: OpenAcquisition): string {
  const part = scene ? `scene ${scene.index + 1} of ${scene.count}${scene.name ? ` “${scene.name}”` : ''} · ` : '';
  return `${part}${planes} ${planes === 1 ? 'plane' : 'planes'}, ${formatBytes(bytes)}`;
}

function opener({ kind, origin }: Opener): string {
  switch (kind) {
    case 'window':
      return 'in this window';
    case 'own-page':
      return 'by the viewer';
    case 'trusted-page':
      return origin === 'null' || origin === undefined ? 'by a local HTML file' : `by ${origin}`;
    case 'file-page':
      return 'by a local HTML file or a page without an address';
    default:
      return 'by a program on this computer';
  }
}
