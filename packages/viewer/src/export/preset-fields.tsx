import { useSignal } from '@preact/signals';
import { Choice, Group } from './fields.tsx';
import type { FigureChoices } from './figure-choices.ts';
import { deletePreset, keepPreset, MAX_PRESET_NAME, presetOf, readPresets } from './figure-presets.ts';

interface PresetFieldsProps {
  readonly choices: FigureChoices;
  change(changed: Partial<FigureChoices>): void;
}

/** Chooses, keeps and deletes presets. */
export function PresetFields({ choices, change }: PresetFieldsProps) {
  const presets = useSignal(readPresets());
  const name = useSignal('');
  const shown = presetOf(presets.value, choices);
  const keep = (event: Event) => {
    event.preventDefault();
    const given = name.value.trim();
    if (given === '') return;
    presets.value = keepPreset(given, choices);
    name.value = '';
  };
  return (
    <Group name="Preset">
      {presets.value.length > 0 && (
        <Choice
          label="Preset"
          value={shown?.name ?? ''}
          options={[
            ...(shown ? [] : [['', 'None'] as const]),
            ...presets.value.map((one) => [one.name, one.name] as const),
          ]}
          choose={(chosen) => change(presets.value.find((one) => one.name === chosen)?.choices ?? {})}
        />
      )}
      {shown ? (
        <button type="button" onClick={() => (presets.value = deletePreset(shown.name))}>
          Delete
        </button>
      ) : (
        <form class="figure-preset" onSubmit={keep}>
          <input
            type="text"
            aria-label="Name of the preset"
            placeholder="Name"
            maxLength={MAX_PRESET_NAME}
            value={name}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
          <button type="submit">Keep as preset</button>
        </form>
      )}
    </Group>
  );
}
