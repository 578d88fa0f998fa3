/** What a series was taken with: its imaging plane, the device of that, and the optical channel. */

import type { Notes } from '../../base/notes.js';
import type { Hdf5Object } from '../../hdf5/file.js';
import type { SceneInfo } from '../../model/acquisition.js';
import { shortestDecimal } from '../../model/metadata/float32.js';
import { type FoundInstrument, type FoundOptics, toInstrument, toOptics } from '../../model/metadata/instrument.js';
import type { GroupMembers } from './members.js';

export interface SeriesInstrument {
  instrument: FoundInstrument;
  /** Of the channel, if there is only one. */
  optics: FoundOptics;
}

/** Values that are wavelengths in nm: the unit of the schema. */
const WAVELENGTHS = { min: 100, max: 20_000 };
/** Programs write these where a text is required and nobody entered one. */
const NO_TEXT = /^(unknown|none|n\/?a|not (available|applicable|specified|known)|\?|-)?$/i;
/** Names of devices that name nothing. */
const GENERIC = /^((the )?(device|microscope|imaging[\s_]device)[\s_]?\d*)$/i;

/** @param opticalChannels of the imaging plane: if there are several, no one knows which one the series shows */
export async function readInstrument(
  series: Hdf5Object,
  plane: Hdf5Object | undefined,
  opticalChannels: readonly Hdf5Object[],
  { members, notes }: { members: GroupMembers; notes: Notes },
): Promise<SeriesInstrument> {
  const [only, ...more] = opticalChannels;
  const wavelength = async (group: Hdf5Object | undefined, name: string) => {
    const [value] = await members.numbers(group, name);
    return usableWavelength(value, name, notes);
  };
  const attribute = (name: string) => members.attempt(() => series.number(name));
  const gain = await attribute('pmt_gain');
  return {
    instrument: { microscope: await members.attempt(() => describeDevice(plane)) },
    optics: {
      fluorophore: usableText(await members.text(plane, 'indicator')),
      excitationNm: await wavelength(plane, 'excitation_lambda'),
      emissionNm: more.length > 0 ? undefined : await wavelength(only, 'emission_lambda'),
      exposureSeconds: await attribute('exposure_time'),
      gain: gain === undefined ? undefined : shortestDecimal(gain),
    },
  };
}

function usableText(text: string | undefined): string | undefined {
  return text === undefined || NO_TEXT.test(text.trim()) ? undefined : text;
}

/** NaN and 0 mean that nobody entered one. */
function usableWavelength(value: number | undefined, name: string, notes: Notes): number | undefined {
  if (value === undefined || Number.isNaN(value) || value === 0) return undefined;
  if (value >= WAVELENGTHS.min && value <= WAVELENGTHS.max) return shortestDecimal(value);
  notes.add(`\`${name}\` is ${shortestDecimal(value)}, which is not a wavelength in nm; it was ignored.`);
  return undefined;
}

/** Returns maker and model of the device, else its name: that of the group which the plane links to. */
function describeDevice(plane: Hdf5Object | undefined): string | undefined {
  const link = plane?.links.get('device');
  const device = link && plane?.child('device');
  if (!device) return undefined;
  const text = (name: string) => usableText(device.text(name))?.trim();
  const maker = text('manufacturer');
  const own = link.kind === 'soft' ? link.path.split('/').at(-1) : undefined;
  const name = text('model_name') ?? (own === undefined || GENERIC.test(own) ? undefined : usableText(own));
  if (maker === undefined || name?.toLowerCase().includes(maker.toLowerCase())) return name;
  return [maker, name].filter((part) => part !== undefined).join(' ');
}

/** Returns the scene with its instrument. Colors of a camera have no optics of their own. */
export function withInstrument(scene: SceneInfo, { instrument, optics }: SeriesInstrument): SceneInfo {
  const [only, ...more] = scene.channels;
  const channels = only && more.length === 0 ? [{ ...only, ...toOptics(optics) }] : scene.channels;
  return { ...scene, ...toInstrument(instrument), channels };
}
