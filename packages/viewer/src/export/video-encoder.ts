/** Encodes frames with the encoder of the browser (WebCodecs), as H.264 where it is available, otherwise as VP9. */
import type { Size } from '../model/geometry.ts';
import type { MovieFilm, MovieFrame } from './movie.ts';
import { type Mp4Writer, TIMESCALE, type VideoTrack } from './mp4.ts';

/** High profile of H.264 up to 4,096 pixels, simpler ones, and VP9. */
const CODECS = ['avc1.640033', 'avc1.4d0033', 'avc1.420033', 'vp09.00.51.08'];
/** Bits per pixel of a frame: noise of a detector needs many. */
const BITS = 0.4;
const BIT_RATES = { min: 1_000_000, max: 80_000_000 } as const;
/** Frames from one that can be shown alone to the next. */
const KEY_EVERY = 30;
/** Frames that wait for the encoder. */
const MAX_WAITING = 4;

/** Returns the settings that this browser can encode with; null when it cannot. */
export async function findEncoder({ width, height }: Size, perSecond: number): Promise<VideoEncoderConfig | null> {
  if (typeof VideoEncoder === 'undefined' || endsWhenAsked(navigator.userAgent)) return null;
  const size = { width: even(width), height: even(height) };
  // Encoders refuse slower ones; the times of the frames are in the file.
  const rate = Math.max(1, perSecond);
  const bits = BITS * size.width * size.height * rate;
  for (const codec of CODECS) {
    const config: VideoEncoderConfig = {
      codec,
      ...size,
      framerate: rate,
      bitrate: Math.round(Math.min(BIT_RATES.max, Math.max(BIT_RATES.min, bits))),
      latencyMode: 'quality',
      ...(codec.startsWith('avc1') ? { avc: { format: 'avc' } } : {}),
    };
    const { supported } = await VideoEncoder.isConfigSupported(config).catch(() => ({ supported: false }));
    if (supported) return config;
  }
  return null;
}

/** True for WebKitGTK (2.50), the window of the desktop application on Linux: the question for an encoder ends its page. */
function endsWhenAsked(agent: string): boolean {
  return agent.includes('AppleWebKit') && /Linux|X11/.test(agent) && !/Chrom/.test(agent);
}

export const isH264 = ({ codec }: VideoEncoderConfig) => codec.startsWith('avc1');

/** Encodes frames into `writer`. @throws Error when the browser cannot */
export async function encodeVideo(
  film: MovieFilm,
  frames: AsyncIterable<MovieFrame>,
  writer: Mp4Writer,
  signal: AbortSignal,
): Promise<VideoTrack> {
  const encoding = new Encoding(writer);
  const pad = padder();
  try {
    let count = 0;
    for await (const { canvas, seconds } of frames) {
      if (count === 0) encoding.start(await findEncoder(film, 1 / seconds));
      await encoding.add(pad(canvas), seconds, count % KEY_EVERY === 0);
      signal.throwIfAborted();
      count += 1;
    }
    return await encoding.end();
  } finally {
    encoding.close();
  }
}

/** An encoder that writes what it has encoded, and passes its errors to whoever adds frames. */
class Encoding {
  readonly #writer: Mp4Writer;
  readonly #clock = new FrameClock();
  readonly #encoder: VideoEncoder;
  #config: VideoEncoderConfig | null = null;
  #track: VideoTrack | null = null;
  #failure: unknown = null;

  constructor(writer: Mp4Writer) {
    this.#writer = writer;
    this.#encoder = new VideoEncoder({
      output: (encoded, about) => {
        try {
          this.#write(encoded, about?.decoderConfig);
        } catch (error) {
          this.#failure ??= error;
        }
      },
      error: (error) => {
        this.#failure ??= error;
      },
    });
  }

  start(config: VideoEncoderConfig | null): void {
    if (config === null) throw new Error('This browser cannot encode videos of this size.');
    this.#config = config;
    this.#encoder.configure(config);
  }

  /** Adds a frame, and waits while many others wait for the encoder. */
  async add(canvas: HTMLCanvasElement, seconds: number, keyFrame: boolean): Promise<void> {
    this.#check();
    const frame = new VideoFrame(canvas, this.#clock.next(seconds));
    this.#encoder.encode(frame, { keyFrame });
    frame.close();
    while (this.#encoder.encodeQueueSize > MAX_WAITING && this.#failure === null) await dequeued(this.#encoder);
    this.#check();
  }

  async end(): Promise<VideoTrack> {
    await this.#encoder.flush().catch((error: unknown) => {
      this.#failure ??= error;
    });
    this.#check();
    if (this.#track === null) throw new Error('The browser encoded no frame.');
    return this.#track;
  }

  close(): void {
    if (this.#encoder.state !== 'closed') this.#encoder.close();
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  #write(encoded: EncodedVideoChunk, decoder: VideoDecoderConfig | undefined): void {
    this.#track ??= trackOf(decoder, this.#config!);
    const bytes = new Uint8Array(encoded.byteLength);
    encoded.copyTo(bytes);
    this.#writer.add(bytes, { duration: this.#clock.durationAt(encoded.timestamp), key: encoded.type === 'key' });
  }
}

/** Times of frames in microseconds for the encoder, and in units of the file. */
class FrameClock {
  readonly #durations = new Map<number, number>();
  #ticks = 0;
  #seconds = 0;

  next(seconds: number): { timestamp: number; duration: number } {
    const timestamp = Math.round(1e6 * this.#seconds);
    this.#seconds += seconds;
    // Rounded sums, so that the end of a long movie is where it belongs.
    const end = Math.round(TIMESCALE * this.#seconds);
    this.#durations.set(timestamp, end - this.#ticks);
    this.#ticks = end;
    return { timestamp, duration: Math.round(1e6 * seconds) };
  }

  /** @throws Error when frames come in another order than they went in */
  durationAt(timestamp: number): number {
    const [first] = this.#durations.keys();
    if (first !== timestamp) throw new Error('The encoder of this browser changed the order of the frames.');
    const duration = this.#durations.get(timestamp)!;
    this.#durations.delete(timestamp);
    return duration;
  }
}

function dequeued(encoder: VideoEncoder): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 100);
    encoder.addEventListener(
      'dequeue',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

const even = (pixels: number) => pixels + (pixels % 2);

/** Returns what makes canvases even, which encoders need: the last row and column are repeated. */
function padder(): (canvas: HTMLCanvasElement) => HTMLCanvasElement {
  const padded = document.createElement('canvas');
  return (canvas) => {
    const { width, height } = canvas;
    if (width % 2 === 0 && height % 2 === 0) return canvas;
    padded.width = even(width);
    padded.height = even(height);
    const context = padded.getContext('2d', { alpha: false });
    context?.drawImage(canvas, padded.width - width, padded.height - height);
    context?.drawImage(canvas, 0, 0);
    return padded;
  };
}

const PRIMARIES: Readonly<Record<string, number>> = { bt709: 1, bt470bg: 5, smpte170m: 6, bt2020: 9 };
const TRANSFERS: Readonly<Record<string, number>> = { bt709: 1, smpte170m: 6, 'iec61966-2-1': 13 };
const MATRICES: Readonly<Record<string, number>> = { rgb: 0, bt709: 1, bt470bg: 5, smpte170m: 6, 'bt2020-ncl': 9 };

function trackOf(decoder: VideoDecoderConfig | undefined, { codec, width, height }: VideoEncoderConfig): VideoTrack {
  const { description, colorSpace } = decoder ?? {};
  const primaries = PRIMARIES[colorSpace?.primaries ?? ''];
  const transfer = TRANSFERS[colorSpace?.transfer ?? ''];
  const matrix = MATRICES[colorSpace?.matrix ?? ''];
  const known = primaries !== undefined && transfer !== undefined && matrix !== undefined;
  return {
    codec: decoder?.codec ?? codec,
    width,
    height,
    description: description === undefined ? null : bytesOf(description),
    color: known ? { primaries, transfer, matrix, full: colorSpace?.fullRange === true } : null,
  };
}

function bytesOf(source: AllowSharedBufferSource): Uint8Array {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice();
  return new Uint8Array(source).slice();
}
