import { type Signal, useSignal } from '@preact/signals';
import { type CardChoice, shownCards } from './card-picture.ts';
import { pictureJobs } from './jobs.ts';
import type { ExportProps } from './props.ts';
import { Jobs, type Work } from './work.tsx';

/** One image: as shown, or with one pixel per sample. */
export function ImageTab({ work, ...props }: ExportProps & { readonly work: Work }) {
  const { pane } = props;
  const cards = shownCards(pane);
  const cardKey = useSignal(cards[0]?.key ?? '');
  const withMarks = useSignal(true);
  const card = cards.find(({ key }) => key === cardKey.value) ?? cards[0];
  const source = { ...props, withMarks: withMarks.value };
  return (
    <section>
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
