/** Options that select the folder with the instance files. */
export interface StateFlags {
  stateDir?: string;
  config?: string;
}

export interface StatusFlags {
  json?: boolean;
  port?: number;
}

export interface StopFlags {
  port?: number;
  all?: boolean;
  /** Stop without waiting for downloads. */
  now?: boolean;
  /** Seconds to wait for each server. */
  timeout: number;
}

export interface InspectFlags {
  json?: boolean;
  jsonl?: boolean;
  scene?: number;
  time?: number;
  z?: number;
}
