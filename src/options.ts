/** Settings of a server: `createServer` takes them, the command line and the environment fill them. */
export interface ServerOptions {
  /** Address to bind. Not loopback: a token and a root are required. */
  host: string;
  port: number;
  /** Bearer token; empty = none. */
  token: string;
  /** Real folders that `POST /open` is confined to; empty = not confined. */
  roots: string[];
  /** Further origins: exact, or `https://*.lab.example`. */
  allowOrigins: string[];
  /** Further `Host` names, without port. */
  allowHosts: string[];
  /** Lets pages with `Origin: null` open by path. */
  allowFilePages: boolean;
  /** Restriction of the readable extensions, each with its dot; empty = all supported. */
  allowExtensions: string[];
  /** Seconds a session lives from its open or renewal. */
  sessionTtlSeconds: number;
  maxSessions: number;
  /** Bytes of planes held in memory. */
  memoryBudgetBytes: number;
  /** Bytes of one float32 plane. */
  maxPlaneBytes: number;
  /** Seconds an open may take. */
  openTimeoutSeconds: number;
  /** Seconds a native dialog stays open. */
  pickerTimeoutSeconds: number;
  /** Decode workers; 0 = one per core. */
  decodeWorkers: number;
  /** Opens waiting for a worker before `capacity_exceeded`. */
  decodeQueue: number;
  /** Folder for the log, the instance file and the picker's last folder. */
  stateDir: string;
}
