import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useId, useMemo } from 'preact/hooks';
import { isLoaded } from '../model/document.ts';
import { formatBytes } from '../model/number-text.ts';
import { Kymograph } from '../stack/kymograph.ts';
import { KYMOGRAPH_SNIPPETS } from '../stack/kymograph-snippets.ts';
import { type CardChoice, shownCards } from './card-picture.ts';
import { planeParts } from './crop.ts';
import { firstChoices } from './figure-choices.ts';
import { FigureFields } from './figure-fields.tsx';
import { stackJobs } from './imagej-stack.ts';
import { figureJobs, type Job, pictureJobs, planeJobs } from './jobs.ts';
import { PROGRAMS, zarrUrl } from './open-in.ts';
import type { ExportProps } from './props.ts';
import { toRequest } from './request.ts';
import { chooseDestination } from './save.ts';
import { SNIPPETS } from './snippets.ts';

/** Saves images and data, and offers a link and a program for the shown plane. */
export function ExportDialog(props: ExportProps) {
  const { pane } = props;
  const cards = shownCards(pane);
  const channels = pane.channels.filter(isLoaded);
  const cardKey = useSignal(cards[0]?.key ?? '');
  const index = useSignal(channels[0]?.index ?? 0);
  const withMarks = useSignal(true);
  const parts = planeParts(pane);
  const partId = useSignal('whole');
  const part = parts.find(({ id }) => id === partId.value) ?? parts[0]!;
  const work = useWork();
  const card = cards.find(({ key }) => key === cardKey.value) ?? cards[0];
  const channel = channels.find((item) => item.index === index.value) ?? channels[0];
  const source = { ...props, withMarks: withMarks.value };
  const choices = useSignal(firstChoices(pane));
  const link = props.link();
  return (
    <div class="export-body">
      <section>
        <h3>Image</h3>
        <CardSelect cards={cards} chosen={cardKey} />
        {pane.marks.value.length > 0 && (
          <label class="export-check">
            <input
              type="checkbox"
              checked={withMarks}
              onChange={(event) => (withMarks.value = event.currentTarget.checked)}
            />{' '}
            With marks
          </label>
        )}
        <Jobs work={work} jobs={card ? pictureJobs(source, card) : []} />
      </section>
      <section>
        <h3>Figure</h3>
        <FigureFields choices={choices} several={channels.length > 1} />
        <Jobs work={work} jobs={card ? figureJobs(source, choices.value) : []} />
      </section>
      <section>
        <h3>Data</h3>
        <label class="export-select">
          Channel{' '}
          <select value={index} onChange={(event) => (index.value = Number(event.currentTarget.value))}>
            {channels.map((item) => (
              <option key={item.index} value={item.index}>
                {item.name}
              </option>
            ))}
          </select>
        </label>
        {parts.length > 1 && (
          <label class="export-select">
            Part{' '}
            <select value={part.id} onChange={(event) => (partId.value = event.currentTarget.value)}>
              {parts.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        )}
        {channel?.far.value && <FarHint bytes={channel.far.value.byteLength} />}
        <Jobs work={work} jobs={[...(channel ? planeJobs(props, channel, part) : []), ...stackJobs(props)]} />
      </section>
      <Progress work={work} />
      <section>
        <h3>Link to this view</h3>
        {link === null ? (
          <p class="export-hint">
            This file was sent to the server, which keeps it until you close it. No link can open it again. Open the
            file by its path to get a link, or pass on the file itself.
          </p>
        ) : (
          <>
            <p class="export-hint">Opens the same view on this computer, as long as the file is not moved.</p>
            <Copyable label="Copy link" text={() => link} copy={props.copy} />
          </>
        )}
      </section>
      <OpenIn {...props} />
      {channel && link !== null && <Program {...props} position={pane.channels.indexOf(channel)} />}
    </div>
  );
}

/** Says what can be saved of a plane that the page does not hold. */
function FarHint({ bytes }: { readonly bytes: number }) {
  return (
    <p class="export-hint">
      This plane has {formatBytes(bytes)}, too much for this page. As a whole it can be saved as .npy, which is
      transferred piece by piece. For TIFF or CSV, zoom in and choose the visible part, or choose a region, of up to 256
      MiB. Pictures with one pixel per sample and smoothing are not available.
    </p>
  );
}

function CardSelect({ cards, chosen }: { readonly cards: readonly CardChoice[]; readonly chosen: Signal<string> }) {
  if (cards.length === 0) return <p class="export-hint">No image is shown yet.</p>;
  return (
    <label class="export-select">
      Image{' '}
      <select value={chosen} onChange={(event) => (chosen.value = event.currentTarget.value)}>
        {cards.map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface Work {
  readonly state: Signal<{ readonly text: string; readonly failed: boolean; readonly busy: boolean }>;
  run(job: Job): Promise<void>;
  stop(): void;
}

/** Creates one file at a time. Closing the dialog cancels it. */
function useWork(): Work {
  const state = useSignal({ text: '', failed: false, busy: false });
  const work = useMemo(() => {
    let running: AbortController | null = null;
    return {
      state,
      stop: () => running?.abort(),
      async run(job: Job) {
        const controller = new AbortController();
        running = controller;
        const destination = await chooseDestination(job.name);
        if (destination === null) return;
        const onProgress = (fraction: number) => {
          const done = fraction > 0 ? `, ${Math.floor(fraction * 100)} %` : '';
          const text = `Creating ${job.name}${done}…`;
          if (text !== state.value.text) state.value = { text, failed: false, busy: true };
        };
        onProgress(0);
        try {
          await destination.write(await job.make(controller.signal, onProgress));
          state.value = { text: `${job.name} was saved.`, failed: false, busy: false };
        } catch (error) {
          const stopped = controller.signal.aborted;
          const text = stopped ? 'Canceled.' : `Not saved: ${(error as Error).message}`;
          state.value = { text, failed: !stopped, busy: false };
        }
      },
    };
  }, [state]);
  useEffect(() => work.stop, [work]);
  return work;
}

function Progress({ work }: { readonly work: Work }) {
  const { text, failed, busy } = work.state.value;
  return (
    <div class="export-progress">
      <p role="status" class={failed ? 'export-status export-failed' : 'export-status'}>
        {text}
      </p>
      {busy && (
        <button type="button" onClick={work.stop}>
          Cancel
        </button>
      )}
    </div>
  );
}

function Jobs({ work, jobs }: { readonly work: Work; readonly jobs: readonly Job[] }) {
  return (
    <ul class="export-jobs">
      {jobs.map((job) => (
        <li key={job.id}>
          <button type="button" data-job={job.id} disabled={work.state.value.busy} onClick={() => work.run(job)}>
            {job.label}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A program that fetches the shown plane. */
function Program({ document, pane, position, serverUrl: base, copy }: ExportProps & { readonly position: number }) {
  const language = useSignal<string>(SNIPPETS[0].id);
  const name = useId();
  const info = document.info.value;
  const dataUrl = (pane.kind === 'reference' ? info.reference?.channels : info.channels)?.[position]?.dataUrl ?? '';
  const opened = document.opened.value;
  const kymograph = opened instanceof Kymograph ? opened : null;
  const request = toRequest(kymograph?.stackInfo ?? info);
  const reference = pane.kind === 'reference';
  const programs = kymograph
    ? KYMOGRAPH_SNIPPETS.map((snippet) => ({
        ...snippet,
        text: snippet.make({ base, request, position, line: kymograph.line }),
      }))
    : SNIPPETS.map((snippet) => ({ ...snippet, text: snippet.make({ base, request, position, dataUrl, reference }) }));
  const text = programs.find(({ id }) => id === language.value)?.text ?? '';
  return (
    <section>
      <h3>Read this plane in a program</h3>
      <fieldset class="export-languages">
        <legend class="visually-hidden">Language</legend>
        {programs.map(({ id, label }) => (
          <label key={id}>
            <input type="radio" name={name} checked={language.value === id} onChange={() => (language.value = id)} />{' '}
            {label}
          </label>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <pre class="export-program" tabIndex={0}>
        {text}
      </pre>
      <Copyable label="Copy program" text={() => text} copy={copy} />
    </section>
  );
}

/** How other programs open the whole acquisition. */
function OpenIn({ document, pane, serverUrl: base, copy }: ExportProps) {
  const program = useSignal<string>(PROGRAMS[0].id);
  const name = useId();
  const info = document.info.value;
  const address = { base, info, reference: pane.kind === 'reference' };
  const { make, label } = PROGRAMS.find(({ id }) => id === program.value) ?? PROGRAMS[0];
  // A server of an earlier version does not have the addresses.
  if (zarrUrl(address, '0.4') === '') return null;
  const { text, note } = make(address);
  return (
    <section>
      <h3>Open in another program</h3>
      <p class="export-hint">All channels, time points and sections, as OME-Zarr. Nothing is converted.</p>
      <fieldset class="export-languages">
        <legend class="visually-hidden">Program</legend>
        {PROGRAMS.map(({ id, label }) => (
          <label key={id}>
            <input type="radio" name={name} checked={program.value === id} onChange={() => (program.value = id)} />{' '}
            {label}
          </label>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <pre class="export-program" tabIndex={0}>
        {text}
      </pre>
      <p class="export-hint">{note}</p>
      <Copyable label={`Copy for ${label}`} text={() => text} copy={copy} />
    </section>
  );
}

interface CopyableProps extends Pick<ExportProps, 'copy'> {
  readonly label: string;
  text(): string;
}

function Copyable({ label, text, copy }: CopyableProps) {
  const result = useSignal('');
  const act = async () => {
    result.value = (await copy(text())) ? 'Copied' : 'The browser did not allow copying';
  };
  return (
    <p class="export-copy">
      <button type="button" onClick={act}>
        {label}
      </button>
      <span role="status">{result}</span>
    </p>
  );
}
