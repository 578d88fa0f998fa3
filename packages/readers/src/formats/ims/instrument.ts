/** The microscope of an Imaris file, and the wavelengths of its channels. Pure. */
import type { ChannelOptics } from '../../model/acquisition.js';
import { parseDateTime, toIsoClock } from '../../model/metadata/dates.js';
import { type FoundInstrument, toOptics } from '../../model/metadata/instrument.js';

/** Attributes of `DataSetInfo/Image`; those of `DataSetInfo/Channel n` are by channel. */
export interface RawImsInstrument {
  model: string | undefined;
  objective: string | undefined;
  immersion: string | undefined;
  lensPower: string | undefined;
  /** Of the image, then of each channel. */
  apertures: (string | undefined)[];
  excitation: (string | undefined)[];
  emission: (string | undefined)[];
}

/** No immersion medium allows more. */
const MAX_APERTURE = 2;

/** Files without times have the start of an epoch. */
const MIN_DATE = '19710101';

/** @param firstTime of the first time point: it beats the date of the recording, which programs write in another time zone */
export function toFoundInstrument(
  raw: RawImsInstrument,
  { recordingDate, firstTime }: { recordingDate: string | undefined; firstTime: string | undefined },
): FoundInstrument {
  const [recorded, first] = [recordingDate, firstTime].map((text) => parseDateTime(text ?? ''));
  const clock = recorded && first && first.date >= MIN_DATE ? first : recorded;
  const apertures = raw.apertures.map(parseAperture);
  return {
    microscope: raw.model,
    objective: {
      name: raw.objective,
      // `63x`, `63`.
      magnification: parseMeasure(raw.lensPower, /^[x×]?$/i),
      numericalAperture: apertures.find((value) => value !== undefined),
      immersion: raw.immersion,
    },
    start: clock && toIsoClock(clock),
  };
}

/** Returns the wavelengths of a channel. Some programs write `561 nm nm`, Imaris writes 0 for unknown. */
export function channelOptics(raw: RawImsInstrument, channel: number): ChannelOptics {
  return toOptics({
    excitationNm: parseMeasure(raw.excitation[channel], /^(nm\s*)*$/i),
    emissionNm: parseMeasure(raw.emission[channel], /^(nm\s*)*$/i),
  });
}

function parseAperture(text: string | undefined): number | undefined {
  const value = parseMeasure(text, /^$/);
  return value !== undefined && value > 0 && value <= MAX_APERTURE ? value : undefined;
}

/** Parses a number with a unit, also with a decimal comma. */
function parseMeasure(text: string | undefined, unit: RegExp): number | undefined {
  const [, number = '', rest = ''] = /^\s*(\d{1,9}(?:[.,]\d{1,20})?)\s*(.{0,20})$/.exec(text ?? '') ?? [];
  return number !== '' && unit.test(rest.trim()) ? Number(number.replace(',', '.')) : undefined;
}
