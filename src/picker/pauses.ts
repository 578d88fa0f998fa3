import { AcqError } from '../errors.js';

const FIRST_SECONDS = 5;
const MAX_SECONDS = 300;
/** After this long without a dialog, the next pause is as short as the first one. */
const FORGET_SECONDS = 1_800;

/**
 * Pauses between the dialogs of callers that nobody can tell apart: any web page can hold a sandboxed frame, and that
 * frame can ask for a dialog as often as it likes, without a click. Each dialog that ends without a choice doubles the
 * pause, up to five minutes. A choice ends it.
 */
export interface DialogPauses {
  /** @throws AcqError `picker_busy` with the seconds that remain */
  check(): void;
  /** A dialog ended without a choice: closed by the user, by the client, at its time limit, or by itself. */
  extend(): void;
  /** The user chose something. */
  reset(): void;
}

/** @param now milliseconds of a clock that never goes back */
export function dialogPauses(now = () => performance.now()): DialogPauses {
  let end = 0;
  let seconds = 0;
  return {
    check() {
      const remaining = Math.ceil((end - now()) / 1000);
      if (remaining <= 0) return;
      throw new AcqError(
        'picker_busy',
        'The last file dialog for a page without an address (a local HTML file or a sandboxed frame) ended without a ' +
          `choice. Such pages can ask again in ${remaining} s.`,
        { retryAfterSeconds: remaining },
      );
    },
    extend() {
      const forgotten = now() - end > FORGET_SECONDS * 1000;
      seconds = forgotten || seconds === 0 ? FIRST_SECONDS : Math.min(seconds * 2, MAX_SECONDS);
      end = now() + seconds * 1000;
    },
    reset() {
      end = 0;
      seconds = 0;
    },
  };
}
