import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { checkByteOrder } from '@acquisition-store/readers/base/byte-order.js';
import { supportedExtensions } from '@acquisition-store/readers/formats/index.js';
import type { FastifyBaseLogger } from 'fastify';
import { checkAddressSpace } from '../address-space.js';
import type { ServerOptions } from '../options.js';
import { packagedFolder, packagedPages } from '../package-files.js';
import { createPicker } from '../picker/index.js';
import type { Picker } from '../picker/types.js';
import { createSessions } from '../sessions/create.js';
import { createStore } from '../sessions/create-store.js';
import { meterStore, type StoreHealth } from '../sessions/metered-store.js';
import { homeFolder } from '../state-folder.js';
import { FileBrowser } from '../storage/file-browser.js';
import { StorageGate } from '../storage/gate.js';
import { UploadStore } from '../uploads/store.js';
import { Audit } from './audit.js';
import { createAuthenticator } from './auth/identity.js';
import { checkOptions, chooseExtensions } from './check-options.js';
import type { ConnectionLimits } from './connection-limits.js';
import type { AppDependencies } from './dependencies.js';
import type { RunningServer } from './listen.js';
import { listenForOps } from './ops.js';
import { isLoopbackHost } from './policy.js';
import { createPrometheus, type Prometheus } from './prometheus.js';

/** Enough for some long recordings. */
const UPLOAD_BUDGET_BYTES = 8e9;

/** With and without a reference image, warnings, and several blocks. */
const WARM_UP_FILES = ['plain.tif', 'plain.czi', 'scan.oir'];

export interface ServerParts {
  logger?: FastifyBaseLogger;
  /** Replaces the file dialogs of this computer. */
  picker?: Picker;
  /** Secret of an instance file, with which the server proves that it wrote the file. */
  instanceSecret?: string;
  /** Path of the log file, for API v1 to name it. */
  logFile?: string;
  /** Replaces limits that no setting has. */
  limits?: Partial<ConnectionLimits>;
}

/**
 * Starts a server with everything it needs: decode workers, sessions, file dialogs, pages.
 * @throws AcqError `request_validation_failed` when options are invalid or the policy refuses them,
 * `capacity_exceeded` when no decode worker can be started; the system's error when the port is not available
 * (`EADDRINUSE`, `EACCES`, …)
 */
export async function startServer(given: ServerOptions, parts: ServerParts = {}): Promise<RunningServer> {
  checkByteOrder();
  const options = checkOptions(given);
  checkAddressSpace(options.decodeWorkers || availableParallelism());
  const { logger } = parts;
  const allowedExtensions = chooseExtensions(options.allowExtensions);
  const report = (error: unknown) => logger?.error({ err: error }, 'error in a session');
  const health: StoreHealth = { isAvailable: true };
  let prometheus: Prometheus | undefined;
  const plain = await createStore(options, (message) => logger?.warn(message));
  const store = plain && meterStore(plain, health, () => prometheus);
  const gate = new StorageGate({
    maxStuck: 2 * (options.decodeWorkers || availableParallelism()),
    report: ({ message }) => logger?.warn(message),
  });
  const policy = { roots: options.roots, allowedExtensions, platform: process.platform };
  const files = new FileBrowser({ gate, policy, home: homeFolder() });
  const services = createSessions(options, allowedExtensions, gate, {
    report,
    ...(store ? { store } : {}),
  });
  const { sessions, following } = services;
  const budgetBytes = options.uploadBudgetBytes ?? (isLoopbackHost(options.host) ? UPLOAD_BUDGET_BYTES : 0);
  const uploads = new UploadStore({
    folder: join(options.stateDir, 'uploads'),
    budgetBytes,
    perOwnerBytes: options.uploadPerOwnerBytes ?? Math.floor(budgetBytes / 2),
    ttlSeconds: options.sessionTtlSeconds,
    report,
  });
  let server: RunningServer | undefined;
  try {
    const drain = { isDraining: false };
    const roots = () => options.roots.map((root) => gate.isAvailable(root));
    const isDraining = () => drain.isDraining;
    const load = () => ({ ...sessions.load(), followers: following.size });
    const { opsListen, allowHosts } = options;
    if (opsListen !== undefined) {
      prometheus = await createPrometheus({ load, roots, isDraining });
    }
    const metrics = prometheus;
    const stateOfStore = () => (store ? (health.isAvailable ? 'ready' : 'unavailable') : 'none');
    const authenticator = await createAuthenticator(options, logger);
    const { auditLog, auditLogOptional } = options;
    const audit = auditLog === undefined ? undefined : await Audit.open(auditLog, !auditLogOptional, report);
    // The framework, the routes and their schemas load while the threads start on another core.
    const { listen } = await import('./listen.js');
    server = await listen(
      options,
      {
        ...services,
        ...(authenticator ? { authenticator } : {}),
        ...(audit ? { audit } : {}),
        drain,
        ...(metrics && opsListen !== undefined
          ? {
              metrics,
              listenForOps: () =>
                listenForOps(opsListen, { roots, isDraining, store: stateOfStore, prometheus: metrics, allowHosts }),
            }
          : {}),
        files,
        uploads,
        picker:
          parts.picker ??
          createPicker({
            timeoutSeconds: options.pickerTimeoutSeconds,
            stateDir: options.stateDir,
            find: (path, signal) => gate.lookups.run({ kind: 'find', path }, signal),
            ...(logger ? { logger } : {}),
          }),
        supportedExtensions: supportedExtensions(),
        allowedExtensions,
        folders: packagedFolders(),
        warmUpFiles: options.coldStart ? [] : WARM_UP_FILES.map((name) => join(packagedFolder('warm-up'), name)),
        ...(parts.logFile === undefined ? {} : { logFile: parts.logFile }),
        ...(parts.instanceSecret === undefined ? {} : { instanceSecret: parts.instanceSecret }),
        ...(logger ? { logger } : {}),
      },
      parts.limits,
    );
    await sessions.ready();
    return server;
  } catch (error) {
    await (server ? server.close() : Promise.all([sessions.close(), uploads.close()]));
    throw error;
  }
}

function packagedFolders(): AppDependencies['folders'] {
  return {
    demo: packagedPages('viewer/dist'),
    demoV1: packagedPages('viewer-v1/dist'),
    docs: packagedPages('viewer/docs'),
    client: packagedPages('dist/client'),
    examples: packagedFolder('examples'),
  };
}
