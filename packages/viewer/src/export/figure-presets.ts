/** Choices for figures under names that the user gave them, as data in this browser. */
import { readStored, writeStored } from '../app/stored.ts';
import { type FigureChoices, toChoices } from './figure-choices.ts';

export interface FigurePreset {
  readonly name: string;
  readonly choices: Partial<FigureChoices>;
}

const KEY = 'figure-presets';
const MAX_PRESETS = 50;
export const MAX_PRESET_NAME = 40;

export function readPresets(): FigurePreset[] {
  return toPresets(readStored(KEY));
}

/** Returns what is valid of stored presets, which may be anything. */
export function toPresets(stored: unknown): FigurePreset[] {
  const presets: FigurePreset[] = [];
  for (const one of Array.isArray(stored) ? stored : []) {
    const { name, choices } = (one ?? {}) as { name?: unknown; choices?: unknown };
    if (typeof name !== 'string' || name === '' || name.length > MAX_PRESET_NAME) continue;
    if (presets.some((other) => other.name === name)) continue;
    presets.push({ name, choices: toChoices(choices) });
  }
  return presets.slice(0, MAX_PRESETS);
}

/** Keeps choices under a name, in place of a preset that has it, and returns all presets by name. */
export function keepPreset(name: string, choices: FigureChoices): FigurePreset[] {
  const others = readPresets().filter((preset) => preset.name !== name);
  const all = [...others, { name, choices: toChoices(choices) }].sort((a, b) => a.name.localeCompare(b.name));
  return write(all.slice(-MAX_PRESETS));
}

export function deletePreset(name: string): FigurePreset[] {
  return write(readPresets().filter((preset) => preset.name !== name));
}

function write(presets: FigurePreset[]): FigurePreset[] {
  writeStored(KEY, presets);
  return presets;
}

/** Returns the preset that the choices are; undefined when they were changed since. */
export function presetOf(presets: readonly FigurePreset[], choices: FigureChoices): FigurePreset | undefined {
  return presets.find(({ choices: kept }) =>
    Object.entries(kept).every(([key, value]) => choices[key as keyof FigureChoices] === value),
  );
}
