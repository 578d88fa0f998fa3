import type { FastifyBaseLogger } from 'fastify';
import type { Picker } from '../picker/types.js';
import type { SessionService } from '../sessions/types.js';

/** What the HTTP layer is built on; tests pass their own. */
export interface AppDependencies {
  sessions: SessionService;
  picker: Picker;
  /** Extensions of the format table, each with its dot. */
  supportedExtensions: readonly string[];
  /** Those that the operator allows. */
  allowedExtensions: readonly string[];
  /** Folders with the pages, the samples and the client for browsers; a missing one is served empty. */
  folders: { demo: string; docs: string; examples: string; client: string };
  /** Ends every open and dialog when the server stops. */
  stopping: AbortSignal;
  /** Secret of the instance file, by which this server proves that it wrote it. */
  instanceSecret?: string;
  logger?: FastifyBaseLogger;
}
