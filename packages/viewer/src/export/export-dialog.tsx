import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { readStored, writeStored } from '../app/stored.ts';
import { paneState } from '../image/pane-state.ts';
import { isLoaded } from '../model/document.ts';
import { FigureTab } from './figure-tab.tsx';
import { ImageTab } from './image-tab.tsx';
import { MovieTab } from './movie-tab.tsx';
import { NumbersTab } from './numbers-tab.tsx';
import { ProgramsTab } from './programs-tab.tsx';
import type { ExportProps } from './props.ts';
import { Progress, useWork } from './work.tsx';

const TABS = ['Figure', 'Image', 'Numbers', 'Movie', 'Link and programs'] as const;
type TabName = (typeof TABS)[number];

/** Saves figures, images and data, and offers a link and a program for the shown plane. */
export function ExportDialog(props: ExportProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const stored = readStored('save');
  const shown = useSignal<TabName>(TABS.find((name) => name === stored) ?? 'Figure');
  const chosen = useSignal(props.pane.channels.find(isLoaded)?.index ?? 0);
  const work = useWork();
  const show = (name: TabName) => {
    shown.value = name;
    writeStored('save', name);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = TABS.indexOf(shown.value);
    const target = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    show(TABS.at(target % TABS.length)!);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
  };
  const tab = shown.value;
  return (
    <>
      <div class="export-tabs" role="tablist" aria-label="What to save" ref={list} onKeyDown={onKeyDown}>
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${TABS.indexOf(name)}`}
            aria-selected={name === tab}
            aria-controls={id}
            tabIndex={name === tab ? 0 : -1}
            onClick={() => show(name)}
          >
            {name}
          </button>
        ))}
      </div>
      {paneState(props.pane).orthogonal.value !== null && (
        <p class="export-hint">
          <i>Image</i> saves the three orthogonal pictures. Everything else is of the plane that they cut.
        </p>
      )}
      <div id={id} class="export-body" role="tabpanel" aria-labelledby={`${id}-${TABS.indexOf(tab)}`}>
        {tab === 'Figure' && <FigureTab {...props} work={work} />}
        {tab === 'Image' && <ImageTab {...props} work={work} />}
        {tab === 'Numbers' && <NumbersTab {...props} chosen={chosen} work={work} />}
        {tab === 'Movie' && <MovieTab {...props} work={work} />}
        {tab === 'Link and programs' && <ProgramsTab {...props} chosen={chosen} />}
      </div>
      <Progress work={work} />
    </>
  );
}
