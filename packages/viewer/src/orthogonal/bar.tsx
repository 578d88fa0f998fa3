import { useComputed } from '@preact/signals';
import { visibleChannels } from '../image/pane-state.ts';
import { displayAxes } from '../image/plane-axes.ts';
import { capital, formatBytes, formatNumber } from '../model/number-text.ts';
import { isSlab, MAX_SLAB } from '../model/orthogonal.ts';
import { PLURALS, planeDims, type StackDim } from '../stack/place.ts';
import type { CrossSection, Cut } from './cross-sections.ts';
import type { Fill } from './fill.ts';
import { isToScale } from './layout.ts';

interface OrthogonalBarProps {
  readonly cut: Cut;
  readonly sections: readonly CrossSection[];
  /** Null before reading has begun. */
  readonly fill: Fill | null;
}

/** The third axis, the slab, and what has to be said of the pictures. */
export function OrthogonalBar({ cut, sections, fill }: OrthogonalBarProps) {
  const { source, document, third } = cut;
  const dims = useComputed(() => planeDims(document.info.value, source).join()).value;
  const { slab } = source.orthogonal.value;
  const change = (next: Partial<typeof source.orthogonal.value>) => {
    source.orthogonal.value = { ...source.orthogonal.value, ...next };
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    <div class="orthogonal-bar" role="group" aria-label="Orthogonal views">
      {dims.length > 1 && (
        <label title="What takes the place of z">
          <span>Third axis</span>
          <select
            name="third-axis"
            value={third.dim}
            onChange={(event) => change({ along: event.currentTarget.value as StackDim })}
          >
            {dims.split(',').map((dim) => (
              <option key={dim} value={dim}>
                {capital(PLURALS[dim as StackDim])}
              </option>
            ))}
          </select>
        </label>
      )}
      <label
        title={`Each picture shows the maximum of so many ${PLURALS[third.dim]}, rows or columns, up to ${MAX_SLAB}`}
      >
        <span>Slab</span>
        <input
          name="slab"
          type="number"
          min="1"
          max={MAX_SLAB}
          step="1"
          value={slab}
          onChange={({ currentTarget }) => {
            const next = currentTarget.valueAsNumber;
            if (isSlab(next)) change({ slab: next });
            else currentTarget.value = String(slab);
          }}
        />
      </label>
      <Notes cut={cut} sections={sections} fill={fill} />
      <span class="orthogonal-hint">
        Drag the cross, or press <kbd>Shift</kbd> + arrows
      </span>
    </div>
  );
}

function Notes({ cut, sections, fill }: OrthogonalBarProps) {
  const notes = [...axisNotes(cut), ...readingNotes(cut, sections, fill)].join(' ');
  const failure = fill?.failure.value ?? null;
  return (
    <>
      <span class="orthogonal-notes" role="status">
        {failure === null ? notes : `Some planes could not be read. ${failure}`}
      </span>
      {failure !== null && (
        <button type="button" onClick={() => fill?.retry()}>
          Try again
        </button>
      )}
    </>
  );
}

function axisNotes({ source, third }: Cut): string[] {
  if (third.dim === 'T') {
    return third.uneven ? ['Time points are drawn equally high, although the times between them differ.'] : [];
  }
  if (third.unit === 'Pixels') return ['Without a step of z the cross-sections are drawn 1 sample high.'];
  if (!isToScale(third, displayAxes(source).x)) {
    return ['Without a pixel size the cross-sections are drawn 1 sample high.'];
  }
  return third.uneven
    ? ['Sections are drawn at their measured depths, each as high as half way to its neighbors.']
    : [];
}

function readingNotes({ source, stack, third }: Cut, sections: readonly CrossSection[], fill: Fill | null): string[] {
  const channels = visibleChannels(source).map(({ index }) => index);
  const missing = sections.map(({ lines }) => {
    void lines.version.value;
    return lines.missing(channels).length;
  });
  const read = third.size - Math.max(...missing);
  const size = formatNumber(third.size);
  const progress = read < third.size ? [`${formatNumber(read)} of ${size} ${PLURALS[third.dim]} read.`] : [];
  if (fill?.isPartial.value !== true) return progress;
  const memory = formatBytes(stack.cache.budget);
  const parts = `The stack does not fit into the memory of the page (${memory}), so only the rows and columns of the cross-sections are read`;
  const limit = fill.isLimited.value ? `, of the nearest ${PLURALS[third.dim]}` : '';
  return [`${parts}${limit}.`, ...progress];
}
