import type { Metrics } from '../metrics.js';
import type { SessionStore } from './store.js';

/** What the last command to a store has shown. */
export interface StoreHealth {
  isAvailable: boolean;
}

/** Returns the store with its commands counted and timed. */
export function meterStore(store: SessionStore, health: StoreHealth, metrics: () => Metrics | undefined): SessionStore {
  const measure = async <T>(op: string, command: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    let outcome = 'ok';
    try {
      return await command();
    } catch (error) {
      outcome = String((error as { code?: unknown }).code ?? 'error');
      throw error;
    } finally {
      health.isAvailable = outcome !== 'session_store_unavailable';
      metrics()?.store({ op, outcome }, (performance.now() - start) / 1000);
    }
  };
  return {
    add: (...args) => measure('add', () => store.add(...args)),
    find: (id) => measure('find', () => store.find(id)),
    files: (id) => measure('files', () => store.files(id)),
    renew: (id, ttlMs) => measure('renew', () => store.renew(id, ttlMs)),
    remove: (id) => measure('remove', () => store.remove(id)),
    close: () => store.close(),
  };
}
