/**
 * Finds the microscope and the optics of the channels in `imageProperties` and `lsmChannel` documents. Names of elements
 * as in public descriptions of FluoView's XML; everything of a channel is found by its id.
 */

import { allElements, childNamed, type XmlElement } from '../../io/xml.js';
import type { ChannelOptics } from '../../model/acquisition.js';
import { type FoundInstrument, type FoundOptics, toOptics } from '../../model/metadata/instrument.js';
import { numberOf, textOf } from './values.js';

/** Optics of a channel, and the lasers that it names. */
interface RawChannelOptics {
  optics: FoundOptics;
  lasers: Set<string>;
}

export interface RawOirOptics {
  /** Without what depends on the scanner. */
  instrument: FoundInstrument;
  /** By id of the channel. */
  channels: ReadonlyMap<string, FoundOptics>;
}

/** Finds optics while the elements of `imageProperties` are visited. */
export class OpticsFinder {
  private readonly channels = new Map<string, RawChannelOptics>();
  /** By id of the channel. */
  private readonly gains = new Map<string, number | undefined>();
  /** Percent, by id of the laser setting. */
  private readonly powers = new Map<string, number | undefined>();
  /** Of the lasers in use, in nm, by the same id. */
  private readonly wavelengths = new Map<string, number | undefined>();
  private objective: XmlElement | undefined;
  private imaging: XmlElement | undefined;

  add(element: XmlElement): void {
    const { name, attributes } = element;
    const { id, channelId, laserDataId } = attributes;
    if (name === 'channel' && id) this.addChannel(element, id);
    else if (name === 'pmt' && channelId) addFirst(this.gains, channelId, numberOf(childNamed(element, 'gain')));
    else if (name === 'mainLaser' && laserDataId) {
      addFirst(this.powers, laserDataId, numberOf(childNamed(element, 'transmissivity')));
    } else if (name === 'imagingMainLaser' && id && attributes['enable'] !== 'false') {
      addFirst(this.wavelengths, id, numberOf(childNamed(element, 'wavelength')));
    } else if (name === 'objectiveLens') this.objective ??= element;
    else if (name === 'imagingParam') this.imaging ??= element;
  }

  /** @param root of `imageProperties`, whose elements were added */
  finish(root: XmlElement): RawOirOptics {
    const { objective, imaging, channels } = this;
    return {
      instrument: {
        microscope: textOf(childNamed(root, 'system', 'systemName')) || textOf(childNamed(root, 'microscope', 'name')),
        objective: {
          name: textOf(childNamed(objective, 'displayName')) || textOf(childNamed(objective, 'name')),
          magnification: numberOf(childNamed(objective, 'magnification')),
          numericalAperture: numberOf(childNamed(objective, 'naValue')),
          immersion: textOf(childNamed(objective, 'immersion')),
        },
        zoom: numberOf(childNamed(imaging, 'area', 'zoom')),
      },
      channels: new Map([...channels].map(([id, channel]) => [id, this.join(id, channel)])),
    };
  }

  /** Adds a description of a channel, which may have several: later ones fill what the first one lacks. */
  private addChannel(element: XmlElement, id: string): void {
    const known = this.channels.get(id) ?? { optics: {}, lasers: new Set<string>() };
    const parts = partsOf(element);
    known.optics = { ...toChannelOptics(element, parts), ...known.optics };
    for (const laser of parts.lasers) known.lasers.add(laser);
    this.channels.set(id, known);
  }

  /** Adds gain and laser. Of a channel with several lasers, no one knows which excites it. */
  private join(id: string, { optics, lasers }: RawChannelOptics): FoundOptics {
    const [laser] = lasers;
    const ofLaser =
      laser !== undefined && lasers.size === 1 && this.wavelengths.has(laser)
        ? { excitationNm: this.wavelengths.get(laser), laserPower: this.powers.get(laser) }
        : {};
    return { ...optics, gain: this.gains.get(id), ...ofLaser };
  }
}

function addFirst(values: Map<string, number | undefined>, id: string, value: number | undefined): void {
  if (value !== undefined && !values.has(id)) values.set(id, value);
}

/** Elements below a channel, the first of each name, and the lasers that it names. */
interface ChannelParts {
  first: Map<string, XmlElement>;
  lasers: string[];
}

const PARTS = new Set(['startWavelength', 'endWavelength', 'dyeData', 'pinholeDiameter']);

function partsOf(channel: XmlElement): ChannelParts {
  const parts: ChannelParts = { first: new Map(), lasers: [] };
  for (const element of allElements(channel)) {
    const { name } = element;
    if (PARTS.has(name) && !parts.first.has(name)) parts.first.set(name, element);
    const laser = name === 'laserDataId' ? textOf(element) : '';
    if (laser) parts.lasers.push(laser);
  }
  return parts;
}

/** Parses the root of an `lsmChannel`. */
export function parseChannelOptics(element: XmlElement): ChannelOptics {
  return toChannelOptics(element, partsOf(element));
}

/**
 * Where no band is set, the emission is that of the dye. The excitation of the dye is not that of the laser, and is
 * ignored.
 */
function toChannelOptics(element: XmlElement, { first }: ChannelParts): ChannelOptics {
  const ends = ['startWavelength', 'endWavelength'].map((name) => numberOf(first.get(name)) ?? Number.NaN);
  const dye = first.get('dyeData');
  const { emissionNm = numberOf(childNamed(dye, 'emissionWavelength')) } = toOptics({ emissionNm: ends });
  return toOptics({
    fluorophore: usableDye(textOf(childNamed(element, 'dyeName')) || textOf(childNamed(dye, 'name'))),
    emissionNm,
    detector: textOf(childNamed(element, 'deviceName')),
    pinholeUm: numberOf(first.get('pinholeDiameter')),
  });
}

/** The software writes `None` without a dye. */
function usableDye(name: string): string | undefined {
  return /^none$/i.test(name) ? undefined : name;
}
