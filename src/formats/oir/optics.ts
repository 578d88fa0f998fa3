/**
 * Finds the microscope and the optics of the channels in `imageProperties` and `lsmChannel` documents. Names of elements
 * as in public descriptions of FluoView's XML; everything of a channel is found by its id.
 */

import type { ChannelOptics } from '../../acquisition.js';
import { allElements, childNamed, type XmlElement } from '../../io/xml.js';
import { type FoundInstrument, type FoundOptics, toOptics } from '../../metadata/instrument.js';
import { first, numberOf, textOf } from './values.js';

/** Optics of a channel, and the lasers that it names. */
interface RawChannelOptics {
  optics: FoundOptics;
  lasers: Set<string>;
}

export interface RawOptics {
  /** Without what depends on the scanner. */
  instrument: FoundInstrument;
  /** By id of the channel. */
  channels: ReadonlyMap<string, FoundOptics>;
}

interface Found {
  channels: Map<string, RawChannelOptics>;
  /** Gain by id of the channel. */
  gains: Map<string, number | undefined>;
  /** Percent, by id of the laser setting. */
  powers: Map<string, number | undefined>;
  /** Of the lasers in use, in nm, by the same id. */
  wavelengths: Map<string, number | undefined>;
  objective: XmlElement | undefined;
  imaging: XmlElement | undefined;
}

/** @param root of `imageProperties` */
export function parseOptics(root: XmlElement): RawOptics {
  const found: Found = {
    channels: new Map(),
    gains: new Map(),
    powers: new Map(),
    wavelengths: new Map(),
    objective: undefined,
    imaging: undefined,
  };
  for (const element of allElements(root)) addElement(found, element);
  const { objective } = found;
  return {
    instrument: {
      microscope: textOf(childNamed(root, 'system', 'systemName')) || textOf(childNamed(root, 'microscope', 'name')),
      objective: {
        name: textOf(childNamed(objective, 'displayName')) || textOf(childNamed(objective, 'name')),
        magnification: numberOf(childNamed(objective, 'magnification')),
        numericalAperture: numberOf(childNamed(objective, 'naValue')),
        immersion: textOf(childNamed(objective, 'immersion')),
      },
      zoom: numberOf(childNamed(found.imaging, 'area', 'zoom')),
    },
    channels: new Map([...found.channels].map(([id, channel]) => [id, joinOptics(found, id, channel)])),
  };
}

function addElement(found: Found, element: XmlElement): void {
  const { name, attributes } = element;
  const { id, channelId, laserDataId } = attributes;
  if (name === 'channel' && id) addChannel(found.channels, element, id);
  else if (name === 'pmt' && channelId) addFirst(found.gains, channelId, numberOf(childNamed(element, 'gain')));
  else if (name === 'mainLaser' && laserDataId) {
    addFirst(found.powers, laserDataId, numberOf(childNamed(element, 'transmissivity')));
  } else if (name === 'imagingMainLaser' && id && attributes['enable'] !== 'false') {
    addFirst(found.wavelengths, id, numberOf(childNamed(element, 'wavelength')));
  } else if (name === 'objectiveLens') found.objective ??= element;
  else if (name === 'imagingParam') found.imaging ??= element;
}

function addFirst(values: Map<string, number | undefined>, id: string, value: number | undefined): void {
  if (value !== undefined && !values.has(id)) values.set(id, value);
}

/** Adds a description of a channel, which may have several: later ones fill what the first one lacks. */
function addChannel(channels: Map<string, RawChannelOptics>, element: XmlElement, id: string): void {
  const known = channels.get(id) ?? { optics: {}, lasers: new Set<string>() };
  known.optics = { ...parseChannelOptics(element), ...known.optics };
  for (const child of allElements(element)) {
    const laser = child.name === 'laserDataId' ? textOf(child) : '';
    if (laser) known.lasers.add(laser);
  }
  channels.set(id, known);
}

/**
 * Parses a `channel`, or the root of an `lsmChannel`. Where no band is set, the emission is that of the dye. The
 * excitation of the dye is not that of the laser, and is left out.
 */
export function parseChannelOptics(element: XmlElement): ChannelOptics {
  const ends = ['startWavelength', 'endWavelength'].map((name) => numberOf(first(element, name)) ?? Number.NaN);
  const dye = first(element, 'dyeData');
  const { emissionNm = numberOf(childNamed(dye, 'emissionWavelength')) } = toOptics({ emissionNm: ends });
  return toOptics({
    fluorophore: usableDye(textOf(childNamed(element, 'dyeName')) || textOf(childNamed(dye, 'name'))),
    emissionNm,
    detector: textOf(childNamed(element, 'deviceName')),
    pinholeUm: numberOf(first(element, 'pinholeDiameter')),
  });
}

/** The software writes `None` without a dye. */
function usableDye(name: string): string | undefined {
  return /^none$/i.test(name) ? undefined : name;
}

/** Adds gain and laser. Of a channel with several lasers, no one knows which excites it. */
function joinOptics(found: Found, id: string, { optics, lasers }: RawChannelOptics): FoundOptics {
  const [laser] = lasers;
  const ofLaser =
    laser !== undefined && lasers.size === 1 && found.wavelengths.has(laser)
      ? { excitationNm: found.wavelengths.get(laser), laserPower: found.powers.get(laser) }
      : {};
  return { ...optics, gain: found.gains.get(id), ...ofLaser };
}
