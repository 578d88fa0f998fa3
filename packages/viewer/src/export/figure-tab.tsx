import { useSignal } from '@preact/signals';
import { Icon } from '../icons/icon.tsx';
import { formatFixed, formatNumber } from '../model/number-text.ts';
import { type FigureChoices, figureWarnings, firstChoices, keepChoices, pixelsOf } from './figure-choices.ts';
import { FigureFields } from './figure-fields.tsx';
import { PER_MM } from './figure-layout.ts';
import { type FigurePreview, useFigurePreview } from './figure-preview.ts';
import { figureJobs } from './jobs.ts';
import { PresetFields } from './preset-fields.tsx';
import type { ExportProps } from './props.ts';
import { Jobs, type Work } from './work.tsx';

/** A figure for a paper, with a preview of the file. */
export function FigureTab({ work, ...props }: ExportProps & { readonly work: Work }) {
  const { pane, tracesOverlaid } = props;
  const choices = useSignal<FigureChoices>({ ...firstChoices(pane), lanes: !tracesOverlaid });
  const preview = useFigurePreview(props, choices);
  const change = (changed: Partial<FigureChoices>) => {
    choices.value = { ...choices.value, ...changed };
    keepChoices(pane, changed);
  };
  const { figure, failure } = preview.value;
  return (
    <div class="figure-tab">
      <Preview {...preview.value} choices={choices.value} />
      <div class="figure-settings">
        <PresetFields choices={choices.value} change={change} />
        <FigureFields
          document={props.document}
          pane={pane}
          choices={choices.value}
          span={figure?.span ?? 0}
          change={change}
        />
        <Jobs work={work} jobs={failure === '' ? figureJobs(props, choices.value) : []} />
      </div>
    </div>
  );
}

function Preview({ figure, url, failure, choices }: FigurePreview & { readonly choices: FigureChoices }) {
  const { width, dpi, font } = choices;
  const height = figure === null ? 0 : figure.placed.height / PER_MM;
  const picture = (figure?.placed.pictures[0]?.box.width ?? 0) / PER_MM;
  const pixels = (mm: number) => formatNumber(pixelsOf(mm, dpi));
  return (
    <div class="figure-preview">
      <p class="figure-size">
        <b>Preview</b>
        {figure !== null &&
          ` ${formatNumber(width)} × ${formatFixed(height, 1)} mm · ${pixels(width)} × ${pixels(height)} px as PNG`}
      </p>
      <div class="figure-paper">
        {url !== '' && <img src={url} alt={`Preview of the figure, ${formatNumber(width)} mm wide`} />}
        {failure !== '' && <p role="alert">{failure}</p>}
      </div>
      <ul class="figure-warnings" aria-live="polite">
        {figure !== null &&
          figureWarnings({ font, height, picture }).map((warning) => (
            <li key={warning}>
              <Icon name="warning" /> {warning}
            </li>
          ))}
      </ul>
    </div>
  );
}
