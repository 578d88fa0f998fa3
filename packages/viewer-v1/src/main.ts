/** Demo of API v1: picks a file, and shows its channels, its reference image and the JSON of the answer. */
import { ApiError, type OpenSuccess, pickAndOpen, readPlane } from './api.ts';
import { create, type LinesFigure, linesFigure, referenceFigure } from './figures.ts';
import { positionAxis, type Scale, timeAxis, toScale, toText } from './scale.ts';
import { takeToken } from './token.ts';

const find = <Element extends HTMLElement>(id: string) => document.getElementById(id) as Element;
const form = find<HTMLFormElement>('form');
const load = find<HTMLButtonElement>('load');
const cancel = find<HTMLButtonElement>('cancel');
const msField = find<HTMLInputElement>('ms');
const umField = find<HTMLInputElement>('um');

/** Ends the load that is in progress. */
let loading: AbortController | null = null;
let shown: { info: OpenSuccess; figures: LinesFigure[] } | null = null;

takeToken();
addEventListener('hashchange', takeToken);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (loading === null) void run();
});
cancel.addEventListener('click', () => loading?.abort());
find('copy').addEventListener('click', () => void copyJson());
msField.addEventListener('input', showScale);
umField.addEventListener('input', showScale);

async function run(): Promise<void> {
  const controller = new AbortController();
  setLoading(controller);
  say('Choose a file in the dialog, which opens on the computer of the server.');
  find('alert').replaceChildren();
  try {
    const vessels = find<HTMLInputElement>('vessels').valueAsNumber;
    const calcium = find<HTMLInputElement>('calcium').valueAsNumber;
    const info = await pickAndOpen(calcium, Number.isNaN(vessels) ? null : vessels, controller.signal);
    showFacts(info);
    say('Loading the planes …');
    await showImages(info, controller.signal);
    say(`Loaded ${fileName(info)}.`);
  } catch (error) {
    if (controller.signal.aborted) say('Cancelled.');
    else report(error);
  } finally {
    setLoading(null);
  }
}

/** While a file is loaded, the focus is on Cancel, because a disabled button cannot have it. */
function setLoading(controller: AbortController | null): void {
  loading = controller;
  const [from, to] = controller ? [load, cancel] : [cancel, load];
  const hasFocus = document.activeElement === from;
  to.disabled = false;
  if (hasFocus) to.focus();
  from.disabled = true;
}

function report(error: unknown): void {
  const { message } = error as Error;
  const code = error instanceof ApiError ? error.code : '';
  const isCancelled = code === 'cancelled';
  say(isCancelled ? message : '');
  if (isCancelled) return;
  find('alert').replaceChildren(...(code === '' ? [] : [create('code', code)]), message);
  if (code === 'unauthorized') find('alert').append(' Open this page with #token=TOKEN at the end of its address.');
}

function say(text: string): void {
  find('status').textContent = text;
}

/** Replaces the acquisition that was shown. */
function showFacts(info: OpenSuccess): void {
  const { path, format, numChannels, width, height, dtype } = info.source;
  find('name').textContent = fileName(info);
  find('path').textContent = path;
  const facts = {
    Format: format,
    Channels: toText(numChannels),
    Lines: toText(height),
    'Pixels per line': toText(width),
    'Data type': dtype,
  };
  find('facts').replaceChildren(
    ...Object.entries(facts).map(([term, text]) => create('div', create('dt', term), create('dd', text))),
  );
  find<HTMLTextAreaElement>('json').value = JSON.stringify(info, null, 2);
  find('channels').replaceChildren();
  find('references').replaceChildren();
  shown = { info, figures: [] };
  const { msPerLine, umPerPixel } = toScale(info.calibration);
  msField.value = toField(msPerLine);
  umField.value = toField(umPerPixel);
  const { dim_0_units, dim_1_units } = info.calibration;
  const unknown = [
    ...(msPerLine === null ? [`The unit of the lines is “${dim_0_units}”, not a time: enter the ms/line.`] : []),
    ...(umPerPixel === null ? [`The unit of the pixels is “${dim_1_units}”, not a length: enter the µm/px.`] : []),
  ];
  find('note').textContent = unknown.join(' ');
  find('reference-text').textContent = referenceText(info);
  find('result').hidden = false;
  showScale();
}

function referenceText({ reference }: OpenSuccess): string {
  if (reference === null) return 'This file has no reference image.';
  const [first] = reference.channels;
  const size = first ? `${toText(first.height)} rows of ${toText(first.width)} pixels` : 'no channels';
  if (reference.scanPath) return `${size}, with the scan path`;
  return reference.lineRoi ? `${size}, with the scanned line` : `${size}; the scanned line is not in the file`;
}

async function showImages({ channels, reference }: OpenSuccess, signal: AbortSignal): Promise<void> {
  for (const channel of [channels.calcium, channels.vessels]) {
    if (!channel) continue;
    const figure = linesFigure(channel, await readPlane(channel, signal));
    shown?.figures.push(figure);
    find('channels').append(figure.element);
    showScale();
  }
  for (const channel of reference?.channels ?? []) {
    const samples = await readPlane(channel, signal);
    find('references').append(referenceFigure(channel, samples, reference!));
  }
}

/** Labels the axes with what the calibration fields say. */
function showScale(): void {
  if (shown === null) return;
  const scale: Scale = { msPerLine: positive(msField), umPerPixel: positive(umField) };
  const { width, height } = shown.info.source;
  const [time, position] = [timeAxis(height, scale), positionAxis(width, scale)];
  find('size').textContent = `${toText(time.length)} ${time.unit} × ${toText(position.length)} ${position.unit}`;
  for (const figure of shown.figures) figure.setScale(scale);
}

/** 0.008552 s are 8.552000000000001 ms: the last digits are of the conversion. */
function toField(value: number | null): string {
  return value === null ? '' : String(Number(value.toPrecision(12)));
}

function positive({ valueAsNumber }: HTMLInputElement): number | null {
  return valueAsNumber > 0 ? valueAsNumber : null;
}

/** Copies the JSON, or selects it where the browser does not allow that. */
async function copyJson(): Promise<void> {
  const json = find<HTMLTextAreaElement>('json');
  try {
    await navigator.clipboard.writeText(json.value);
    say('The JSON was copied.');
  } catch {
    json.select();
    say('The JSON is selected. Copy it with the keyboard.');
  }
}

function fileName({ source }: OpenSuccess): string {
  return source.path.split(/[\\/]/).at(-1) || source.path;
}
