import type { FastifyBaseLogger } from 'fastify';
import type { Metrics } from '../metrics.js';
import type { PageFolder } from '../page-folder.js';
import type { Picker } from '../picker/types.js';
import type { Following } from '../sessions/following.js';
import type { Overviews } from '../sessions/overviews.js';
import type { SessionService } from '../sessions/service.js';
import type { Sources } from '../sessions/sources.js';
import type { Surveying } from '../sessions/surveying.js';
import type { FileBrowser } from '../storage/file-browser.js';
import type { UploadStore } from '../uploads/store.js';
import type { Audit } from './audit.js';
import type { Authenticator } from './auth/identity.js';

/** What the HTTP layer uses. Tests pass their own. */
export interface AppDependencies {
  sessions: Pick<
    SessionService,
    | 'open'
    | 'checkFile'
    | 'belongsTo'
    | 'hold'
    | 'who'
    | 'channelOrder'
    | 'status'
    | 'acquisition'
    | 'renew'
    | 'delete'
    | 'isOpen'
    | 'load'
    | 'list'
    | 'endAny'
    | 'takeBack'
    | 'memory'
    | 'planeShape'
    | 'take'
    | 'read'
    | 'noteClient'
    | 'ready'
    | 'close'
  >;
  sources: Pick<Sources, 'info' | 'withMetadata' | 'planeTable' | 'plane'>;
  overviews: Pick<Overviews, 'far' | 'reduced'>;
  following: Pick<Following, 'size' | 'follow' | 'stop'>;
  surveying: Pick<Surveying, 'survey'>;
  picker: Picker;
  /** Who may use the server; without one, everybody on this computer or with its token. */
  authenticator?: Authenticator;
  /** Counts what happens, for operators. */
  metrics?: Metrics;
  /** Set while the server is about to stop, and still answers. */
  drain?: { isDraining: boolean };
  /** Records who opened and ended what. */
  audit?: Audit;
  /** Finds files without their path. */
  files: Pick<FileBrowser, 'list' | 'locate'>;
  uploads: Pick<UploadStore, 'isOn' | 'belongsTo' | 'create' | 'receive' | 'open' | 'delete' | 'close'>;
  /** Extensions of all formats, each with its dot. */
  supportedExtensions: readonly string[];
  /** Extensions that the operator allows. */
  allowedExtensions: readonly string[];
  /** The pages, the client for browsers, and the path of the samples. A missing folder is served as empty. */
  folders: { demo: PageFolder; demoV1: PageFolder; docs: PageFolder; client: PageFolder; examples: string };
  /** Acquisitions to open before the first client does. */
  warmUpFiles: readonly string[];
  /** Ends every open and dialog when the server stops. */
  stopping: AbortSignal;
  /** Secret of the instance file, with which this server proves that it wrote the file. */
  instanceSecret?: string;
  /** Path of the log file. */
  logFile?: string;
  logger?: FastifyBaseLogger;
}
