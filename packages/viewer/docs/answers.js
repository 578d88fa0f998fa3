import { el, jump, phrase } from './dom.js';
import { examplesOf, fieldHead, fields, resolve, typeName } from './schema.js';

const EVERYWHERE = ['X-Request-Id', 'Cache-Control'];

/** Shows the responses of an operation. Errors that every operation can return are in a section of their own. */
export function answers(contract, responses) {
  const common = commonCodes(contract);
  const specific = Object.entries(responses).filter(([, { $ref }]) => $ref === undefined);
  return [
    specific.map(([status, response]) =>
      Number(status) < 400 ? success(contract, status, response) : failure(contract, status, response, common),
    ),
    el('p', { class: 'note' }, 'See also ', jump('errors', 'errors of every request'), '.'),
  ];
}

function success(contract, status, response) {
  const [[mediaType, media] = []] = Object.entries(response.content ?? {});
  const type = mediaType === 'application/json' ? typeName(contract, media.schema) : mediaType;
  return el(
    'details',
    { class: 'answer' },
    el('summary', {}, el('code', {}, status), ' ', type ?? 'no body', ' ', note(phrase(response.description))),
    media ? fields(contract, media.schema, 'optional') : undefined,
    examplesOf(media),
    headers(contract, response.headers),
  );
}

function failure(contract, status, response, common) {
  const codes = response['x-error-codes'].filter((code) => !common.includes(code));
  if (codes.length === 0) return undefined;
  const [media] = Object.values(response.content ?? {});
  return el(
    'details',
    { class: 'answer' },
    el('summary', {}, el('code', { class: 'failed' }, status), ' ', codes.join(', ')),
    codeList(contract, codes),
    examplesOf(media),
    headers(contract, response.headers),
  );
}

function codeList(contract, codes, withStatus = false) {
  const { error } = contract.components.schemas.Error.properties;
  const item = (code) => [
    withStatus ? el('code', { class: 'status' }, String(error['x-error-status'][code]), ' ') : undefined,
    el('code', { class: 'name' }, code),
    ' – ',
    phrase(error['x-enumDescriptions'][code]),
  ];
  return el(
    'ul',
    { class: 'fields' },
    codes.map((code) => el('li', {}, item(code))),
  );
}

/** Shows the headers of a response, without those of every response. */
function headers(contract, all = {}) {
  const special = Object.entries(all).filter(([name]) => !EVERYWHERE.includes(name));
  if (special.length === 0) return undefined;
  return headerList(contract, special);
}

function headerList(contract, entries) {
  return [
    el('p', { class: 'note' }, 'Headers'),
    el(
      'ul',
      { class: 'fields' },
      entries.map(([name, header]) => {
        const { schema, description } = resolve(contract, header);
        return el('li', {}, fieldHead(contract, name, schema, undefined, description));
      }),
    ),
  ];
}

/** Returns the error codes that every operation can return. */
function commonCodes({ components }) {
  return Object.values(components.responses).flatMap((response) => response['x-error-codes']);
}

/** Shows the format of errors, and the codes that are not listed with an operation. */
export function errorSection(contract, operations) {
  const { error } = contract.components.schemas.Error.properties;
  const common = commonCodes(contract);
  const listed = operations.flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap((response) => resolve(contract, response)['x-error-codes'] ?? []),
  );
  const unlisted = Object.entries(error['x-error-status'])
    .filter(([code, status]) => status >= 400 && (code === 'not_found' || !listed.includes(code)))
    .map(([code]) => code);
  const schema = { $ref: '#/components/schemas/Error' };
  return el(
    'section',
    { class: 'operation', id: 'errors' },
    el('h3', {}, 'Errors of every request'),
    el('p', {}, phrase(contract.components.schemas.Error.description)),
    fields(contract, schema, 'optional'),
    el('h4', {}, 'Errors that any operation can return'),
    codeList(contract, common, true),
    el('h4', {}, 'Errors for an unknown address or method'),
    codeList(contract, unlisted, true),
    el('h4', {}, 'Headers of every response'),
    headerList(
      contract,
      EVERYWHERE.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    )[1],
  );
}

function note(...children) {
  return el('span', { class: 'note' }, ...children);
}
