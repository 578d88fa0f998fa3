import { AcqError } from '@acquisition-store/readers/base/errors.js';

const FIRST_SECONDS = 5;
const MAX_SECONDS = 300;
/** After this long without a dialog, the next pause is as short as the first one. */
const FORGET_SECONDS = 1_800;

/**
 * Pauses between the dialogs of callers that cannot be told apart: any web page can contain a sandboxed frame, which
 * can request dialogs without a click, as often as it wants. Each dialog that ends without a choice doubles the pause,
 * up to five minutes. A choice ends it.
 */
export interface DialogPauses {
  /** @throws AcqError `picker_busy` with the seconds that remain */
  check(): void;
  /** Call after a dialog without a choice: closed by the user, by the client, at its time limit, or crashed. */
  extend(): void;
  /** Call after the user chose something. */
  reset(): void;
}

/** @param now milliseconds of a monotonic clock */
export function dialogPauses(now = () => performance.now()): DialogPauses {
  let end = 0;
  let seconds = 0;
  return {
    check() {
      const remaining = Math.ceil((end - now()) / 1000);
      if (remaining <= 0) return;
      throw new AcqError(
        'picker_busy',
        'The last file dialog for a page without an origin (a local HTML file or a sandboxed frame) ended without a ' +
          `choice. Try again in ${remaining} s.`,
        { retryAfterSeconds: remaining },
      );
    },
    extend() {
      const isForgotten = now() - end > FORGET_SECONDS * 1000;
      seconds = isForgotten || seconds === 0 ? FIRST_SECONDS : Math.min(seconds * 2, MAX_SECONDS);
      end = now() + seconds * 1000;
    },
    reset() {
      end = 0;
      seconds = 0;
    },
  };
}
