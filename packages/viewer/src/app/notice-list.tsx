import { Icon } from '../icons/icon.tsx';
import { formatBytes } from '../model/number-text.ts';
import { AskedFileLine } from './asked-file-line.tsx';
import { usePage } from './context.ts';
import type { Notice } from './notices.ts';
import { RecordingNotice } from './recording-line.tsx';
import { SignInNotices } from './sign-in.tsx';
import type { Task } from './tasks.ts';

/** Shown between the top bar and the images: running tasks, errors and requests of the server. */
export function NoticeList() {
  const { workspace } = usePage();
  const { server, notices, tasks } = workspace;
  const notice = notices.current.value;
  const tab = workspace.active.value;
  return (
    <section class="app-notices" aria-label="Messages and progress">
      {server.connection.value.state === 'down' && <ServerDown />}
      {server.tokenRequired.value && <SignInNotices />}
      <AskedFileLine />
      {tab && <RecordingNotice key={tab.document.id} tab={tab} />}
      <div role="alert">{notice?.kind === 'error' && <NoticeLine key={notice.id} notice={notice} />}</div>
      <div role="status">{notice?.kind === 'info' && <NoticeLine key={notice.id} notice={notice} />}</div>
      {tasks.list.value.map((task) => (
        <TaskLine key={task.id} task={task} />
      ))}
    </section>
  );
}

function NoticeLine({ notice }: { notice: Notice }) {
  const { workspace } = usePage();
  const { id, kind, code, requestId, message, hint, action } = notice;
  const dismiss = () => workspace.notices.dismiss(id);
  return (
    <div class={`app-notice app-notice-${kind}`}>
      <div class="app-notice-text">
        <p>
          <Prose text={message} />
          {hint !== '' && (
            <>
              {' '}
              <strong>
                <Prose text={hint} />
              </strong>
            </>
          )}
        </p>
        {code !== null && (
          <details class="app-notice-details">
            <summary>Details</summary>
            <p>
              Error code <code>{code}</code>
              {requestId !== null && (
                <>
                  , request <span class="app-notice-request">{requestId}</span> in the server’s log
                </>
              )}
            </p>
          </details>
        )}
      </div>
      {action && (
        <button
          type="button"
          onClick={() => {
            dismiss();
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" class="quiet icon" aria-label="Dismiss this message" title="Dismiss" onClick={dismiss}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Shows text with the names of fields and commands, which are in backticks, as code. */
function Prose({ text }: { text: string }) {
  const parts = text.split(/`([^`]+)`/);
  return <>{parts.map((part, i) => (i % 2 === 1 ? <code key={`${i} ${part}`}>{part}</code> : part))}</>;
}

/** Shows the progress of all transfers. While the server is reading the file, the progress is unknown. */
function TaskLine({ task }: { task: Task }) {
  const progress = task.progress.value;
  const label = `${task.label.value}…`;
  return (
    <div class="app-task">
      <span role="status">{label}</span>
      {progress ? (
        <progress aria-label={label} max={progress.total} value={progress.received} />
      ) : (
        <progress aria-label={label} />
      )}
      <span class="app-task-bytes">
        {progress && `${formatBytes(progress.received)} of ${formatBytes(progress.total)}`}
      </span>
      <button type="button" onClick={task.cancel}>
        Cancel
      </button>
    </div>
  );
}

function ServerDown() {
  const { workspace } = usePage();
  const { message, hint } = workspace.server.connection.value;
  return (
    <div class="app-notice app-notice-error" role="alert">
      <p>
        {message} <strong>{hint}</strong> Images on screen stay. The page tries again every two seconds.
      </p>
      <button type="button" onClick={() => void workspace.server.check()}>
        Try again now
      </button>
    </div>
  );
}
