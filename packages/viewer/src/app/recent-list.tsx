import { Icon } from '../icons/icon.tsx';
import { selectionWords } from '../stack/place.ts';
import { usePage } from './context.ts';
import { type Recent, withoutRecent } from './recents.ts';

/** Recently opened files, as rows or as cards with a picture. `after` is called when one was chosen. */
export function RecentList({ after, hasCards = false }: { after?: () => void; hasCards?: boolean }) {
  const { workspace } = usePage();
  const recents = workspace.recents.value;
  const open = ({ path, selection, channels, interpret, parts }: Recent) => {
    after?.();
    void workspace.open({
      path,
      ...(selection ? { selection } : {}),
      ...(channels ? { channelIndices: [...channels] } : {}),
      ...(interpret ? { interpret } : {}),
      ...(parts ? { parts } : {}),
    });
  };
  if (recents.length === 0) return <p class="app-muted">Files that you open are listed here, in this browser only.</p>;
  return (
    <ul class={hasCards ? 'start-recents' : 'app-list'}>
      {recents.map((recent) => (
        <li key={recent.path}>
          <button type="button" class="quiet app-entry app-recent" title={recent.path} onClick={() => open(recent)}>
            {recent.picture ? (
              <img class="recent-picture" src={recent.picture} alt="" width="280" height="140" />
            ) : (
              <span class="recent-picture" />
            )}
            <span class="recent-text">
              <span class="app-entry-name">
                {recent.name} <span class="app-muted">{choiceText(recent)}</span>
              </span>
              <span class="app-entry-path app-muted">
                <bdi>{recent.path}</bdi>
              </span>
            </span>
          </button>
          <button
            type="button"
            class="quiet icon"
            aria-label={`Remove ${recent.name} from the list`}
            title="Remove from the list"
            onClick={() => {
              workspace.recents.value = withoutRecent(workspace.recents.value, recent.path);
            }}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function choiceText({ selection = {}, channels }: Recent): string {
  const parts = selectionWords(selection);
  return [...parts, ...(channels ? [`C ${channels.join(', ')}`] : [])].join(' · ');
}

/** Sample acquisitions that come with the server. */
export function SampleList({ after }: { after?: () => void }) {
  const { workspace } = usePage();
  const samples = workspace.server.info.value?.examples ?? [];
  return (
    <ul class="app-list">
      {samples.map(({ name, description, path }) => (
        <li key={path}>
          <button
            type="button"
            class="quiet app-entry app-sample"
            title={path}
            onClick={() => {
              after?.();
              void workspace.open({ path });
            }}
          >
            <span class="app-entry-name">Sample: {name}</span>
            <span class="app-muted app-entry-text">{description}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
