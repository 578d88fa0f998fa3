import type { ServeSettings } from './serve-settings.js';

/** How the text of a flag or environment variable becomes a value. `paths` is a list that is split like PATH. */
export type SettingKind = 'text' | 'number' | 'size' | 'list' | 'paths' | 'switch';

/** One setting: flag `--name`, environment variable `ACQSTORE_NAME`, key `name` of the settings file. */
export interface Setting {
  name: string;
  key: keyof ServeSettings;
  kind: SettingKind;
  /** Stands for the value in the help; a switch has none. */
  placeholder?: string;
  description: string;
  /** Describes a default that is empty or depends on the computer; other defaults are printed as they are. */
  defaultInWords?: string;
}
