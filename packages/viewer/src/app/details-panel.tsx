import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { Icon } from '../icons/icon.tsx';
import { instrumentRows } from '../settings/instrument.ts';
import { MicroscopeSettings } from '../settings/settings-panel.tsx';
import { canInterpret, isAboutAxes } from '../stack/interpret.ts';
import { fileDims } from '../stack/place.ts';
import { usePage } from './context.ts';
import { copyText } from './copy.ts';
import { toDetails } from './details.ts';
import { FollowButton } from './follow-button.tsx';
import { looksLikePath } from './path-text.ts';
import { RecordingLine } from './recording-line.tsx';
import type { Tab } from './tab.ts';

export function DetailsPanel({ tab }: { tab: Tab }) {
  const { dialog, phone } = usePage();
  const info = tab.document.info.value;
  const scene = info.source.scenes?.find(({ index }) => index === info.selection?.['S']);
  const hasPath = looksLikePath(info.source.path);
  const isHere = tab.document.opened.value.given !== undefined;
  const facts = toDetails(info, tab.document.calibration.value, tab.document.source.value.rowTimes.value);
  return (
    <>
      <div class="app-source">
        <strong>{info.source.name}</strong>
        <span class="app-source-path app-muted" title={info.source.path}>
          <bdi>
            {hasPath ? info.source.path : isHere ? 'Read in this page, not sent' : 'Sent to the server; it has no path'}
          </bdi>
        </span>
        {hasPath && (
          <button
            type="button"
            class="quiet icon"
            aria-label="Copy the path"
            title="Copy the path"
            onClick={() => void copyText(info.source.path)}
          >
            <Icon name="copy" />
          </button>
        )}
      </div>
      <RecordingLine tab={tab} />
      <InstrumentCard info={info} recorded={facts.filter(({ name }) => WHEN.includes(name))} />
      <table class="app-facts">
        <tbody>
          {scene && (
            <Row name="Scene" value={scene.name} note={`${scene.index + 1} of ${info.source.scenes?.length}`} />
          )}
          {facts
            .filter(({ name }) => !WHEN.includes(name))
            .map(({ name, value, note }) => (
              <Row key={name} name={name} value={value} note={note} />
            ))}
        </tbody>
      </table>
      <MicroscopeSettings acquisition={tab.document.opened.value} />
      <div class="app-detail-buttons">
        <button
          type="button"
          onClick={() => {
            dialog.value = 'calibration';
          }}
        >
          Calibrate…
        </button>
        {(phone.isNarrow.value || fileDims(info).length === 0) && <FollowButton tab={tab} />}
        {canInterpret(tab.document.opened.value) && <PlanesButton />}
        <button
          type="button"
          onClick={() => {
            dialog.value = 'json';
          }}
        >
          Show as JSON…
        </button>
      </div>
    </>
  );
}

/** Opens the dialog in which the user says what the planes are. */
function PlanesButton() {
  const { dialog } = usePage();
  return (
    <button
      type="button"
      onClick={() => {
        dialog.value = 'planes';
      }}
    >
      Planes are…
    </button>
  );
}

/** Facts about the recording rather than its file. */
const WHEN: readonly string[] = ['Recorded', 'Duration'];

interface InstrumentProps {
  readonly info: OpenResponse;
  readonly recorded: ReturnType<typeof toDetails>;
}

/** When it was recorded, and with which microscope and channels, as far as the file says so. */
function InstrumentCard({ info, recorded }: InstrumentProps) {
  const rows = instrumentRows(info);
  if (rows.length + recorded.length === 0) return null;
  return (
    <section class="app-instrument" aria-label="Recorded with">
      <table class="app-facts">
        <tbody>
          {recorded.map(({ name, value, note }) => (
            <Row key={name} name={name} value={value} note={note} />
          ))}
          {rows.map(({ label, value }) => (
            <Row key={label} name={label} value={value} note="" />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Warnings about the data, shown before everything else. */
export function Warnings({ tab }: { tab: Tab }) {
  const { warnings } = tab.document.info.value;
  if (warnings.length === 0) return null;
  return (
    <ul class="app-warnings" aria-label="Warnings">
      {warnings.map((warning) => (
        <li key={warning}>
          <Icon name="warning" /> {warning} {isAboutAxes(warning) && <PlanesButton />}
        </li>
      ))}
    </ul>
  );
}

function Row({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        {value} {note !== '' && <span class="app-muted">{note}</span>}
      </td>
    </tr>
  );
}
