import { AcqError, decodeFailed } from '../base/errors.js';

/** The part that all emscripten modules share. */
export interface WasmModule {
  readonly HEAPU8: Uint8Array;
}

/** WebAssembly memory never shrinks: an instance that grew beyond this size is discarded after the image. */
const KEPT_BYTES = 256 * 2 ** 20;

/**
 * Holds the instance of one WebAssembly codec of this thread. An instance that failed, or grew large, is discarded, and
 * the next read gets a new one: corrupted data never reach a later decode.
 */
export class WasmHost<Module extends WasmModule> {
  private readonly label: string;
  private readonly create: () => Promise<Module>;
  private current: Promise<Module> | undefined;

  constructor(label: string, create: () => Promise<Module>) {
    this.label = label;
    this.create = create;
  }

  /** Returns a function that runs work on the instance. @throws AcqError `decode_failed` for anything that the codec throws */
  async acquire(): Promise<<Result>(work: (module: Module) => Result) => Result> {
    this.current ??= this.create();
    const held = this.current;
    let module: Module;
    try {
      module = await held;
    } catch (error) {
      this.release(held);
      throw error;
    }
    return (work) => {
      try {
        return work(module);
      } catch (error) {
        this.release(held);
        if (error instanceof AcqError) throw error;
        throw decodeFailed(`${this.label} data are corrupted or truncated`, error);
      } finally {
        if (module.HEAPU8.length > KEPT_BYTES) this.release(held);
      }
    };
  }

  private release(held: Promise<Module>): void {
    if (this.current === held) this.current = undefined;
  }
}
