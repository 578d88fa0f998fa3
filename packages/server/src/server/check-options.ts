/** Checks the options of a server: the same for the library and the command line, which names the source of each. */
import { realpathSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { supportedExtensions } from '@acquisition-store/readers/formats/index.js';
import type { TSchema } from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import Value from 'typebox/value';
import { ServerOptions } from '../options.js';
import { checkBind } from './bind.js';
import { BLOCKED_PORTS } from './blocked-ports.js';

/** Returns how a message names an option: by its flag, variable or key. */
export type NameOption = (key: string) => string;

const byKey: NameOption = (key) => `option ${key}`;

/**
 * Checks options, and returns them with the real paths of their roots.
 * @throws AcqError `request_validation_failed`
 */
export function checkOptions(options: ServerOptions, nameOption: NameOption = byKey): ServerOptions {
  checkValues(ServerOptions, options, nameOption);
  checkPort(options.port, nameOption);
  checkBind(options);
  checkNetworks(options.trustProxies);
  return { ...options, roots: options.roots.map(realFolder) };
}

/** @throws AcqError `request_validation_failed` for a value that does not match the schema */
export function checkValues(schema: TSchema, values: Record<string, unknown>, nameOption: NameOption): void {
  const [error] = Value.Errors(schema, values);
  if (!error) return;
  const [, key = 'list', index] = error.instancePath.split('/');
  const name = nameOption(key) + (index === undefined || nameOption !== byKey ? '' : `/${index}`);
  throw badOptions(`${name}: ${describeRule(key, error)} (got ${JSON.stringify(values[key])})`);
}

/** @throws AcqError `request_validation_failed` for a port that browsers refuse */
export function checkPort(port: number, nameOption: NameOption): void {
  if (!BLOCKED_PORTS.has(port)) return;
  throw badOptions(
    `${nameOption('port')}: browsers refuse to connect to port ${port}, so no page could use the server. ` +
      'Choose another port, for example 8767.',
  );
}

/**
 * Returns the real path of a root.
 * @throws AcqError `request_validation_failed` when there is no such folder
 */
export function realFolder(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw badOptions(`--root ${path}: ${(error as Error).message}`);
  }
  throw badOptions(`--root ${path}: the path is not a folder`);
}

/**
 * Returns the supported extensions that the operator allows; all of them for an empty list.
 * @throws AcqError `request_validation_failed` for an extension that is not supported
 */
export function chooseExtensions(allowed: readonly string[], supported: readonly string[] = supportedExtensions()) {
  if (allowed.length === 0) return [...supported];
  const selected = new Set(allowed.map((extension) => extension.toLowerCase()));
  const unknown = [...selected].filter((extension) => !supported.includes(extension));
  if (unknown.length === 0) return supported.filter((extension) => selected.has(extension));
  throw badOptions(
    `--allow-ext ${unknown.join(' ')}: not the extension of a supported format. To list them, run \`acqstore formats\`.`,
  );
}

/** The framework would throw an error without the name of the setting. */
function checkNetworks(networks: readonly string[]): void {
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const bits = isIP(address) === 6 ? 128 : 32;
    if (isIP(address) > 0 && Number(prefix ?? bits) <= bits) continue;
    throw badOptions(`--trust-proxy ${network}: must be an address or a network, for example 10.0.0.0/8`);
  }
}

/** What a value must be, in words where the schema has only a pattern or symbols. */
function describeRule(key: string, error: TLocalizedValidationError): string {
  switch (error.keyword) {
    case 'pattern':
      return PATTERN_RULES[key] ?? error.message;
    case 'type':
      return error.params.type === 'integer' ? 'must be a whole number' : error.message;
    case 'minimum':
      return `must be at least ${error.params.limit}`;
    case 'maximum':
      return `must be at most ${error.params.limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${error.params.limit}`;
    default:
      return error.message;
  }
}

const PATTERN_RULES: Record<string, string> = {
  token: 'must have no spaces and only ASCII characters',
  allowOrigins: 'must be an origin without a path, for example https://lab.example',
  allowHosts: 'must be a host name without a port, for example scope.lab',
  oidcIssuer: 'must be an address, for example https://login.example',
  signOutUrl: 'must be an address or a path, for example /oauth2/sign_out',
  trustProxies: 'must be an address or a network, for example 10.0.0.0/8',
  allowExtensions: 'must start with a dot and have no spaces or slashes, for example .tif',
};

function badOptions(message: string): AcqError {
  return new AcqError('request_validation_failed', message);
}
