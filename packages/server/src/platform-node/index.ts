import type { Platform } from '../platform.js';
import { nodeInflate } from './inflate.js';
import { nodeWasm } from './wasm.js';

/** Where readers run in the server, the command line and the library. */
export const NODE: Platform = { inflate: nodeInflate, wasm: nodeWasm };
