/** Who took an acquisition and with what, in plain words: only what its file states. */
import type { Instrument } from '@acquisition-store/client/contract/instrument.js';
import type { Channel, OpenResponse } from '@acquisition-store/client/contract/open.js';
import { formatNumber, formatQuantity } from '../model/number-text.ts';

export interface InstrumentRow {
  readonly label: string;
  readonly value: string;
}

type MaybeText = string | undefined | false;

/** Returns a row for the microscope, its objective, the scanner and the stage, and one for each channel. */
export function instrumentRows({ source, channels }: Pick<OpenResponse, 'source' | 'channels'>): InstrumentRow[] {
  const { microscope, objective, zoom, stage, ...scanner }: Instrument = source.instrument ?? {};
  const rows = [
    { label: 'Microscope', value: microscope ?? '' },
    { label: 'Objective', value: objectiveText(objective ?? {}) },
    { label: 'Zoom', value: zoom === undefined ? '' : `${formatNumber(zoom)}×` },
    { label: 'Scanner', value: scannerText(scanner) },
    {
      label: 'Stage',
      value: joined(
        Object.entries(stage ?? {}).map(([axis, at]) => `${axis} ${formatNumber(Number(at.toFixed(2)), 9)} µm`),
      ),
    },
    ...channels.map((channel) => ({ label: channel.name, value: channelText(channel) })),
  ];
  return rows.filter(({ value }) => value !== '');
}

/** The name often contains the other values; they are not repeated. */
function objectiveText({
  name = '',
  magnification,
  numericalAperture,
  immersion,
}: NonNullable<Instrument['objective']>) {
  const has = (text: string) => name.toLowerCase().replaceAll('×', 'x').includes(text.toLowerCase());
  const decimals = (name.match(/\d\.\d+/g) ?? []).map(Number);
  return joined([
    name,
    magnification !== undefined && !has(`${magnification}x`) && `${number(magnification)}×`,
    numericalAperture !== undefined && !decimals.includes(numericalAperture) && `NA ${number(numericalAperture)}`,
    immersion !== undefined && !has(immersion) && immersion,
  ]);
}

function scannerText({ pixelDwellSeconds, linePeriodSeconds, bidirectional }: Instrument): string {
  return joined([
    pixelDwellSeconds && `${formatQuantity(pixelDwellSeconds, 'seconds')} per pixel`,
    linePeriodSeconds && `${formatQuantity(linePeriodSeconds, 'seconds')} per line`,
    bidirectional !== undefined && (bidirectional ? 'in both directions' : 'in one direction'),
  ]);
}

function channelText(channel: Channel): string {
  const { name, fluorophore, excitationNm, emissionNm, exposureSeconds, detector, gain, pinholeUm, laserPower } =
    channel;
  return joined([
    fluorophore !== name && fluorophore,
    excitationNm && `excitation ${wavelength(excitationNm)}`,
    emissionNm && `emission ${wavelength(emissionNm)}`,
    laserPower !== undefined && `laser ${number(laserPower)} %`,
    exposureSeconds && `exposure ${formatQuantity(exposureSeconds, 'seconds')}`,
    detector,
    gain !== undefined && `gain ${number(gain)}`,
    pinholeUm && `pinhole ${number(pinholeUm)} µm`,
  ]);
}

function wavelength(value: number | number[]): string {
  return `${[value]
    .flat()
    .map((end) => formatNumber(end))
    .join('–')} nm`;
}

function number(value: number): string {
  return formatNumber(value, 5);
}

function joined(parts: readonly (MaybeText | 0)[]): string {
  return parts.filter(Boolean).join(' · ');
}
