import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { isLoaded } from '../model/document.ts';
import { Kymograph } from '../stack/kymograph.ts';
import { KYMOGRAPH_SNIPPETS } from '../stack/kymograph-snippets.ts';
import { ChannelSelect } from './numbers-tab.tsx';
import { PROGRAMS, zarrUrl } from './open-in.ts';
import type { ExportProps } from './props.ts';
import { toRequest } from './request.ts';
import { SNIPPETS } from './snippets.ts';

/** A link to the view, and how programs read the plane or the whole acquisition. */
export function ProgramsTab({ chosen, ...props }: ExportProps & { readonly chosen: Signal<number> }) {
  const { pane } = props;
  const link = props.link();
  const loaded = pane.channels.filter(isLoaded);
  const channel = loaded.find(({ index }) => index === chosen.value) ?? loaded[0];
  return (
    <>
      <section>
        <h3>Link to this view</h3>
        {link === null ? (
          <WithoutLink {...props} />
        ) : (
          <>
            <p class="export-hint">Opens the same view on this computer, as long as the file is not moved.</p>
            <Copyable label="Copy link" text={() => link} copy={props.copy} />
          </>
        )}
      </section>
      <OpenIn {...props} />
      {channel && link !== null && (
        <Program {...props} position={pane.channels.indexOf(channel)}>
          {loaded.length > 1 && <ChannelSelect pane={pane} chosen={chosen} />}
        </Program>
      )}
    </>
  );
}

/** Says why there is no link to a file that has no path. */
function WithoutLink({ document, hasServer, send }: ExportProps) {
  const { given } = document.opened.value;
  if (given === undefined) {
    return (
      <p class="export-hint">
        This file was sent to the server, which keeps it until you close it. No link can open it again. Open the file by
        its path to get a link, or pass on the file itself.
      </p>
    );
  }
  return (
    <>
      <p class="export-hint">
        This page reads the file itself, so no link and no other program can open it here.{' '}
        {hasServer ? 'Open the file by its path for that, or send it to the server.' : 'A server can do that.'}
      </p>
      {send && (
        <p class="export-copy">
          <button type="button" onClick={() => send(given)}>
            Send it to the server
          </button>
        </p>
      )}
    </>
  );
}

type ProgramProps = ExportProps & { readonly position: number; readonly children: ComponentChildren };

/** A program that fetches the shown plane. */
function Program({ document, pane, position, serverUrl: base, copy, children }: ProgramProps) {
  const language = useSignal<string>(SNIPPETS[0].id);
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
      {children}
      <ProgramText legend="Language" choices={programs} chosen={language} text={text} />
      <Copyable label="Copy program" text={() => text} copy={copy} />
    </section>
  );
}

/** How other programs open the whole acquisition. */
function OpenIn({ document, pane, serverUrl: base, copy }: ExportProps) {
  const program = useSignal<string>(PROGRAMS[0].id);
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
      <ProgramText legend="Program" choices={PROGRAMS} chosen={program} text={text} />
      <p class="export-hint">{note}</p>
      <Copyable label={`Copy for ${label}`} text={() => text} copy={copy} />
    </section>
  );
}

interface ProgramTextProps {
  readonly legend: string;
  readonly choices: readonly { readonly id: string; readonly label: string }[];
  /** Id of the choice that `text` is for. */
  readonly chosen: Signal<string>;
  readonly text: string;
}

function ProgramText({ legend, choices, chosen, text }: ProgramTextProps) {
  const name = useId();
  return (
    <>
      <fieldset class="export-languages">
        <legend class="visually-hidden">{legend}</legend>
        {choices.map(({ id, label }) => (
          <label key={id}>
            <input type="radio" name={name} checked={chosen.value === id} onChange={() => (chosen.value = id)} />{' '}
            {label}
          </label>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <pre class="export-program" tabIndex={0}>
        {text}
      </pre>
    </>
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
