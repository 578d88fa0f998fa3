import { companionMissing } from '../../base/errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { OpenInput } from '../../model/acquisition.js';

/** Opens the settings beside the samples. @throws AcqError `companion_missing` */
export function openSettings({ probe, folder }: OpenInput): ByteSource {
  const name = `${probe.name.slice(0, -'.sbx'.length)}.mat`;
  const settings = folder.openAnyCase(name);
  if (!settings) throw companionMissing(`"${name}" (the settings of the recording)`, folder.path);
  return settings;
}
