import { type Static, Type } from 'typebox';
import { defaultOptions, ServerOptions } from '../options.js';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** All settings of `acqstore serve`: the server's options and those of the command itself. */
export const ServeSettings = Type.Object(
  {
    ...ServerOptions.properties,
    logLevel: Type.Enum([...LOG_LEVELS]),
    open: Type.Boolean(),
    /** For a program that starts the server: it must not outlive it, however that one ends. */
    stopWithStdin: Type.Boolean(),
    /** For the same program: it may list and end sessions over the pipes that only the two have. */
    controlWithStdin: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type ServeSettings = Static<typeof ServeSettings>;

/** Returns the settings of `acqstore serve` without flags, environment variables and settings file. */
export function defaultSettings(env: NodeJS.ProcessEnv = process.env): ServeSettings {
  return { ...defaultOptions(env), logLevel: 'info', open: false, stopWithStdin: false, controlWithStdin: false };
}
