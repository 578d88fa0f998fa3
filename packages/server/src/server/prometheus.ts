/** Metrics in the format of Prometheus. The package `prom-client` is loaded only where the operations listener is on. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { Load, Metrics } from '../metrics.js';

export interface Prometheus extends Metrics {
  contentType: string;
  /** Returns all metrics as text. */
  text(): Promise<string>;
}

export interface GaugeSources {
  load: () => Load;
  /** For each root, whether its storage answers. */
  roots: () => readonly boolean[];
  isDraining: () => boolean;
}

const REQUEST_SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];
const OPEN_SECONDS = [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100];
const STORE_SECONDS = [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1];

/** @throws AcqError `request_validation_failed` when `prom-client` is not installed */
export async function createPrometheus(sources: GaugeSources): Promise<Prometheus> {
  const { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = await loadClient();
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'acqstore_' });
  const http = new Histogram({
    name: 'acqstore_http_seconds',
    help: 'Time of requests until the last byte was sent.',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: REQUEST_SECONDS,
    registers,
  });
  const open = new Histogram({
    name: 'acqstore_open_seconds',
    help: 'Time of opens, by format and outcome (ok, or the code of the error).',
    labelNames: ['format', 'outcome'] as const,
    buckets: OPEN_SECONDS,
    registers,
  });
  const planes = new Counter({
    name: 'acqstore_planes_total',
    help: 'Planes from memory (cache), decoded by opens (decoded), and decoded when they were read (again).',
    labelNames: ['from'] as const,
    registers,
  });
  const disconnected = new Counter({
    name: 'acqstore_disconnected_total',
    help: 'Clients that were disconnected before they had taken their answer, by reason.',
    labelNames: ['reason'] as const,
    registers,
  });
  const store = new Histogram({
    name: 'acqstore_store_seconds',
    help: 'Time of commands to the session store.',
    labelNames: ['op', 'outcome'] as const,
    buckets: STORE_SECONDS,
    registers,
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('acqstore_cache_bytes', 'Bytes of planes in memory.', () => sources.load().usedBytes);
  gauge(
    'acqstore_scratch_bytes',
    'Bytes that decodes and answers take beside planes.',
    () => sources.load().scratchBytes,
  );
  gauge('acqstore_cache_limit_bytes', 'Limit of both: the memory budget.', () => sources.load().budgetBytes);
  gauge('acqstore_sessions', 'Sessions that this instance knows.', () => sources.load().sessions);
  gauge('acqstore_followers', 'Clients that follow the events of sessions.', () => sources.load().followers);
  gauge('acqstore_queue', 'Opens and reads that wait for a decode worker.', () => sources.load().queue);
  gauge('acqstore_draining', '1 while the instance is about to stop.', () => Number(sources.isDraining()));
  new Gauge({
    name: 'acqstore_workers',
    help: 'Decode workers by state; stuck ones wait for storage that does not answer.',
    labelNames: ['state'] as const,
    registers,
    collect() {
      for (const [state, count] of Object.entries(sources.load().workers)) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'acqstore_root_ready',
    help: '1 when the storage of a root answers. Roots are numbered in the order of --root.',
    labelNames: ['root'] as const,
    registers,
    collect() {
      for (const [root, isReady] of sources.roots().entries()) this.set({ root }, Number(isReady));
    },
  });
  return {
    request: (labels, seconds) => http.observe(labels, seconds),
    open: (labels, seconds) => open.observe(labels, seconds),
    planes: (from, count) => planes.inc({ from }, count),
    disconnected: (reason) => disconnected.inc({ reason }),
    store: (labels, seconds) => store.observe(labels, seconds),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

async function loadClient(): Promise<typeof import('prom-client')> {
  try {
    return await import('prom-client');
  } catch (error) {
    throw new AcqError(
      'request_validation_failed',
      '--ops-listen requires the package prom-client, which is not installed. Run: npm install prom-client@15',
      { cause: error },
    );
  }
}
