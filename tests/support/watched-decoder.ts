import type { DecodeLease, Decoder, LeaseOptions, PlaneRequest } from '../../packages/server/src/decode/types.js';

/** What a test learns of what sessions ask a decoder for. */
export interface DecoderWatch {
  onOpen?: () => void;
  /** The plane is asked for when it resolves. */
  onPlane?: (request: PlaneRequest) => void | Promise<void>;
  /** A worker is wanted only if one is free. */
  onTry?: (options: LeaseOptions) => void;
}

/** Returns a decoder that does what another one does, and tells a test. */
export function watchedDecoder(decoder: Decoder, { onOpen, onPlane, onTry }: DecoderWatch): Decoder {
  const watched = (lease: DecodeLease): DecodeLease => ({
    ...lease,
    open: (file) => {
      onOpen?.();
      return lease.open(file);
    },
    plane: async (request, memory, isLast) => {
      await onPlane?.(request);
      return lease.plane(request, memory, isLast);
    },
  });
  return {
    lease: (options, work) => decoder.lease(options, (lease) => work(watched(lease))),
    tryLease: (options, work) => {
      onTry?.(options);
      return decoder.tryLease(options, (lease) => work(watched(lease)));
    },
    letGo: (keep) => decoder.letGo(keep),
    ready: () => decoder.ready(),
    close: () => decoder.close(),
  };
}
