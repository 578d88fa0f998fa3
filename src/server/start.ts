import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import { Value } from 'typebox/value';
import { checkByteOrder } from '../byte-order.js';
import { AcqError } from '../errors.js';
import { supportedExtensions } from '../formats/index.js';
import { ServerOptions } from '../options.js';
import { createPicker } from '../picker/index.js';
import type { Picker } from '../picker/types.js';
import { createSessions } from '../sessions/create.js';
import { StorageGate } from '../storage/gate.js';
import { PACKAGE_ROOT } from './about.js';
import type { AppDependencies } from './dependencies.js';
import { checkBind, listen, type RunningServer } from './listen.js';

export interface ServerParts {
  logger?: FastifyBaseLogger;
  /** Instead of the dialogs of this machine. */
  picker?: Picker;
  /** Secret of an instance file, by which the server proves that it belongs to that file. */
  instanceSecret?: string;
}

/**
 * A server with everything it needs: decode workers, sessions, file dialogs, pages.
 * @throws AcqError `request_validation_failed` when the options contradict themselves or the policy,
 * `capacity_exceeded` when no decode worker can be started; the system's error when the port cannot be had
 * (`EADDRINUSE`, `EACCES`, …)
 */
export async function startServer(options: ServerOptions, parts: ServerParts = {}): Promise<RunningServer> {
  checkByteOrder();
  checkOptions(options);
  const { logger } = parts;
  const allowedExtensions = chooseExtensions(options.allowExtensions);
  const report = (error: unknown) => logger?.error({ err: error }, 'in a session');
  const gate = new StorageGate({
    maxStuck: 2 * (options.decodeWorkers || availableParallelism()),
    report: ({ message }) => logger?.warn(message),
  });
  const sessions = createSessions(options, allowedExtensions, gate, report);
  let server: RunningServer | undefined;
  try {
    server = await listen(options, {
      sessions,
      picker:
        parts.picker ??
        createPicker({
          timeoutSeconds: options.pickerTimeoutSeconds,
          stateDir: options.stateDir,
          find: (path, signal) => gate.find(path, signal),
          ...(logger ? { logger } : {}),
        }),
      supportedExtensions: supportedExtensions(),
      allowedExtensions,
      folders: packagedFolders(),
      ...(parts.instanceSecret === undefined ? {} : { instanceSecret: parts.instanceSecret }),
      ...(logger ? { logger } : {}),
    });
    await sessions.ready();
    return server;
  } catch (error) {
    await (server ? server.close() : sessions.close());
    throw error;
  }
}

function checkOptions(options: ServerOptions): void {
  const [wrong] = Value.Errors(ServerOptions, options);
  if (wrong) throw badOptions(`option ${wrong.instancePath.slice(1) || 'list'}: ${wrong.message}`);
  checkBind(options);
}

/** @throws AcqError when the operator's restriction leaves nothing to read */
export function chooseExtensions(allowed: readonly string[], supported: readonly string[] = supportedExtensions()) {
  if (allowed.length === 0) return [...supported];
  const wanted = new Set(allowed.map((extension) => extension.toLowerCase()));
  const unknown = [...wanted].filter((extension) => !supported.includes(extension));
  if (unknown.length === 0) return supported.filter((extension) => wanted.has(extension));
  throw badOptions(
    `--allow-ext ${unknown.join(' ')}: not the extension of a supported format. To list them, run \`acqstore formats\`.`,
  );
}

function badOptions(message: string): AcqError {
  return new AcqError('request_validation_failed', message);
}

function packagedFolders(): AppDependencies['folders'] {
  const at = (folder: string) => fileURLToPath(new URL(folder, PACKAGE_ROOT));
  return { demo: at('viewer/dist'), docs: at('viewer/docs'), examples: at('examples'), client: at('dist/client') };
}
