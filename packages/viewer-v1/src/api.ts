/** The part of API v1 that this page uses. v1 is frozen, and so are these types. */
import { readToken } from './token.ts';

export interface PlaneSize {
  /** Lines. */
  height: number;
  /** Pixels of a line. */
  width: number;
}

export interface Channel extends PlaneSize {
  index: number;
  name: string;
  role: 'calcium' | 'vessels';
  url: string;
}

export interface ReferenceChannel extends PlaneSize {
  index: number;
  url: string;
  /** Step of the rows, in `xUnit`. */
  dx: number;
  /** Step of the columns, in `yUnit`. */
  dy: number;
  xUnit: string;
  yUnit: string;
}

export interface Reference {
  channels: ReferenceChannel[];
  /** x0, y0, x1, y1 in pixels: x along columns, y along rows. */
  lineRoi: number[] | null;
  scanPath: { x: number[]; y: number[] } | null;
}

export interface Calibration {
  msPerLine: number;
  umPerPixel: number;
  dim_0_units: string;
  dim_1_units: string;
}

export interface OpenSuccess {
  ok: true;
  source: { path: string; format: string; numChannels: number; width: number; height: number; dtype: string };
  calibration: Calibration;
  channels: { calcium: Channel; vessels?: Channel };
  reference: Reference | null;
}

/** A failure that the server reports, with its code. */
export class ApiError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Opens what the user picks in the file dialog. `vesselChannel`: null to load one channel. */
export async function pickAndOpen(
  calciumChannel: number,
  vesselChannel: number | null,
  signal: AbortSignal,
): Promise<OpenSuccess> {
  const response = await request('/api/v1/pick-and-open', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ calciumChannel, vesselChannel }),
    signal,
  });
  const answer = await readJson(response);
  // A closed dialog is reported with status 200.
  if (answer?.ok !== true) throw toError(response, answer);
  return answer as OpenSuccess;
}

/** Reads the samples of a plane, row by row. */
export async function readPlane(plane: PlaneSize & { url: string }, signal: AbortSignal): Promise<Float32Array> {
  const response = await request(plane.url, { signal });
  if (!response.ok) throw toError(response, await readJson(response));
  const bytes = await response.arrayBuffer();
  const expected = plane.width * plane.height * 4;
  if (bytes.byteLength !== expected) {
    throw new Error(`${plane.url} has ${bytes.byteLength} bytes; expected ${expected}.`);
  }
  return new Float32Array(bytes);
}

/** Sends a request with the token. `path` starts with a slash and is below the path of a proxy, if there is one. */
async function request(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  const token = readToken();
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  try {
    return await fetch(new URL(`..${path}`, location.href), { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Error('The server does not respond. Check that it is running.');
  }
}

interface Answer {
  ok: boolean;
  error?: string;
  message?: string;
}

/** Returns null when the body is not JSON. */
async function readJson(response: Response): Promise<Answer | null> {
  try {
    return (await response.json()) as Answer;
  } catch {
    return null;
  }
}

function toError(response: Response, answer: Answer | null): ApiError {
  return new ApiError(answer?.error ?? `HTTP ${response.status}`, answer?.message ?? 'The answer is not from API v1.');
}
