/** Says in words what a scene was taken with. */
import type { ChannelOptics, Instrument } from '../acquisition.js';

/** Returns names and texts of what is known, in the order of the API. */
export function describeInstrument(instrument: Instrument | undefined): [name: string, text: string][] {
  if (!instrument) return [];
  const { microscope, objective, zoom, pixelDwellSeconds, linePeriodSeconds, bidirectional, stage, start } = instrument;
  const lines: [string, string | undefined][] = [
    ['microscope', microscope],
    ['objective', objective && describeObjective(objective)],
    ['zoom', zoom && number(zoom)],
    ['pixel dwell', pixelDwellSeconds && seconds(pixelDwellSeconds)],
    ['line period', linePeriodSeconds && seconds(linePeriodSeconds)],
    ['scan', bidirectional ? 'bidirectional' : undefined],
    ['stage', stage && describeStage(stage)],
    ['start', start],
  ].map(([name, text]) => [String(name), text === undefined ? undefined : String(text)]);
  return lines.filter((line): line is [string, string] => line[1] !== undefined);
}

/** Digits after the ninth are of rounding. */
const number = (value: number) => String(Number(value.toPrecision(9)));
const seconds = (value: number) => `${number(value)} s`;

function describeObjective({
  name,
  magnification,
  numericalAperture,
  immersion,
}: NonNullable<Instrument['objective']>): string {
  return joined([
    name,
    magnification === undefined ? undefined : `${number(magnification)}×`,
    numericalAperture === undefined ? undefined : `NA ${number(numericalAperture)}`,
    immersion,
  ]);
}

function describeStage(stage: NonNullable<Instrument['stage']>): string {
  return joined(Object.entries(stage).map(([axis, value]) => `${axis} ${number(value)} µm`));
}

/** Returns the optics of a channel; empty when nothing is known. */
export function describeOptics(channel: ChannelOptics): string {
  const { fluorophore, excitationNm, emissionNm, exposureSeconds, detector, gain, pinholeUm, laserPower } = channel;
  return joined([
    fluorophore,
    excitationNm === undefined ? undefined : `excitation ${describeWavelength(excitationNm)}`,
    emissionNm === undefined ? undefined : `emission ${describeWavelength(emissionNm)}`,
    exposureSeconds === undefined ? undefined : `exposure ${seconds(exposureSeconds)}`,
    detector,
    gain === undefined ? undefined : `gain ${number(gain)}`,
    pinholeUm === undefined ? undefined : `pinhole ${number(pinholeUm)} µm`,
    laserPower === undefined ? undefined : `laser ${number(laserPower)} %`,
  ]);
}

function describeWavelength(nm: number | readonly number[]): string {
  return `${[nm].flat().map(number).join('–')} nm`;
}

function joined(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(', ');
}
