import { Icon } from './icons.tsx';
import { type NoticeAction, usePage } from './page.ts';

/** Between the top bar and the panels: what runs, what failed, and what was done. */
export function NoticeLines() {
  const { connection, notice, waiting } = usePage();
  const shown = notice.value;
  const dismiss = () => {
    notice.value = null;
  };
  return (
    <div>
      {!connection.isUp.value && (
        <p class="notice" data-kind="error" role="alert">
          The application does not answer. It has probably ended: close this window, and start it again.
        </p>
      )}
      <div role="status">
        {waiting.value && (
          <div class="notice" data-kind="info">
            <span>{waiting.value.text}</span>
            <button type="button" onClick={waiting.value.cancel}>
              Cancel
            </button>
          </div>
        )}
        {shown?.kind === 'info' && (
          <div class="notice" data-kind="info">
            <span>
              {shown.text}{' '}
              {shown.link && (
                <a href={shown.link} target="_blank" rel="noreferrer" onClick={dismiss}>
                  Open it
                </a>
              )}
            </span>
            <Actions actions={shown.actions} />
            <Dismiss onClick={dismiss} />
          </div>
        )}
      </div>
      <div role="alert">
        {shown?.kind === 'error' && (
          <div class="notice" data-kind="error">
            <span>{shown.text}</span>
            <Actions actions={shown.actions} />
            <Dismiss onClick={dismiss} />
          </div>
        )}
      </div>
    </div>
  );
}

function Actions({ actions = [] }: { readonly actions?: readonly NoticeAction[] | undefined }) {
  if (actions.length === 0) return null;
  return (
    <span class="notice-actions">
      {actions.map(({ label, run }) => (
        <button key={label} type="button" onClick={run}>
          {label}
        </button>
      ))}
    </span>
  );
}

export function Dismiss({ onClick }: { readonly onClick: () => void }) {
  return (
    <button type="button" class="quiet icon" aria-label="Dismiss this message" title="Dismiss" onClick={onClick}>
      <Icon name="close" />
    </button>
  );
}
