// Makes mutants of a source file: copies with one small fault each, which some test should notice.
import { createHash } from 'node:crypto';
import { parseAst, Visitor } from 'vite';

/** @import { ESTree } from 'vite' */

/**
 * @typedef {object} Mutant
 * @property {string} file path in the repository
 * @property {number} line
 * @property {number} start of the text that is replaced
 * @property {number} end
 * @property {string} text what replaces it
 * @property {string} id names the mutant in words that stay the same while other parts of the file change
 */

/** @type {Partial<Record<string, readonly string[]>>} */
const OPERATORS = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&': ['|'],
  '|': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '&&': ['||'],
  '||': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
};

/**
 * Returns the mutants of a file. What is thrown is left alone: only the wording of messages would change.
 * @param {string} file
 * @param {string} source
 * @returns {Mutant[]}
 */
export function makeMutants(file, source) {
  /** @type {Mutant[]} */
  const mutants = [];
  const place = file.split('/').slice(-2).join('/');
  const names = [''];
  let [thrown, types] = [0, 0];
  /** Statements that a forced condition skips already. @type {Set<unknown>} */
  const conditional = new Set();
  /** @param {{ start: number, end: number }} node @param {string} text @param {string} [shown] */
  const replace = ({ start, end }, text, shown = `${source.slice(start, end)} → ${text}`) => {
    if (thrown > 0 || types > 0) return;
    const line = source.slice(0, start).split('\n').length;
    const id = `${place} ${names.at(-1) || 'module'}: ${shown.replace(/\s+/g, ' ')}`;
    mutants.push({ file, line, start, end, text, id });
  };
  /** @param {{ start: number, end: number }} node */
  const remove = (node) => {
    if (!conditional.has(node)) replace(node, ';', `${source.slice(node.start, node.end)} → nothing`);
  };
  /** @param {ESTree.BinaryExpression | ESTree.LogicalExpression | ESTree.AssignmentExpression} node */
  const operator = (node) => {
    const { left, operator, right } = node;
    if (isText(left) || isText(right)) return;
    const start = source.indexOf(operator, left.end);
    const whole = source.slice(node.start, node.end);
    if (operator === '??') replace({ start, end: node.end }, '', `${whole} → ${source.slice(node.start, left.end)}`);
    for (const other of OPERATORS[operator] ?? []) {
      replace({ start, end: start + operator.length }, other, `${whole}: ${operator} → ${other}`);
    }
  };
  /** @param {ESTree.Expression} test */
  const force = (test) => {
    const condition = source.slice(test.start, test.end);
    for (const result of ['true', 'false']) replace(test, `(${condition}, ${result})`, `${condition} → ${result}`);
  };
  /** @param {string | undefined} name */
  const enter = (name) => names.push(name ?? names.at(-1) ?? '');
  const leave = () => void names.pop();
  new Visitor({
    FunctionDeclaration: ({ id }) => void enter(id?.name),
    'FunctionDeclaration:exit': leave,
    MethodDefinition: ({ key }) => void enter(key.type === 'Identifier' ? key.name : undefined),
    'MethodDefinition:exit': leave,
    VariableDeclarator: ({ id }) => void enter(names.length === 1 && id.type === 'Identifier' ? id.name : undefined),
    'VariableDeclarator:exit': leave,
    ThrowStatement: (node) => {
      remove(node);
      thrown++;
    },
    'ThrowStatement:exit': () => void thrown--,
    TSLiteralType: () => void types++,
    'TSLiteralType:exit': () => void types--,
    BinaryExpression: operator,
    LogicalExpression: operator,
    AssignmentExpression: operator,
    UnaryExpression: (node) => {
      if (node.operator === '!' || node.operator === '-') {
        replace(node, source.slice(node.argument.start, node.argument.end));
      }
    },
    Literal: (node) => {
      if (typeof node.value === 'number') replace(node, `(${node.raw} + 1)`);
      if (typeof node.value === 'bigint') replace(node, `(${node.raw} + 1n)`);
    },
    IfStatement: (node) => {
      force(node.test);
      const body = node.consequent.type === 'BlockStatement' ? node.consequent.body : [node.consequent];
      if (body.length === 1 && !node.alternate) conditional.add(body[0]);
      for (const statement of body) if (isExit(statement)) remove(statement);
    },
    ConditionalExpression: (node) => force(node.test),
    ExpressionStatement: (node) => {
      if (node.expression.type === 'CallExpression' && node.expression.callee.type !== 'Super') remove(node);
    },
    CallExpression: (node) => swap(node.arguments),
    NewExpression: (node) => swap(node.arguments),
  }).visit(parseAst(source, { lang: 'ts' }, file));
  return numbered(mutants);

  /** @param {readonly ESTree.Argument[]} list */
  function swap(list) {
    for (const [i, left] of list.slice(0, -1).entries()) {
      const right = /** @type {ESTree.Argument} */ (list[i + 1]);
      const [a, b] = [source.slice(left.start, left.end), source.slice(right.start, right.end)];
      if (a === b || left.type !== right.type) continue;
      if (left.type !== 'Identifier' && left.type !== 'MemberExpression') continue;
      const between = source.slice(left.end, right.start);
      replace({ start: left.start, end: right.end }, `${b}${between}${a}`);
    }
  }
}

/** @param {ESTree.Statement} statement */
const isExit = ({ type }) => type === 'ReturnStatement' || type === 'ContinueStatement';

/** @param {{ type: string, value?: unknown }} node */
const isText = ({ type, value }) => type === 'TemplateLiteral' || typeof value === 'string';

/** Tells mutants with the same change in one function apart. @param {Mutant[]} mutants */
function numbered(mutants) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return mutants.map((mutant) => {
    const count = (seen.get(mutant.id) ?? 0) + 1;
    seen.set(mutant.id, count);
    return count === 1 ? mutant : { ...mutant, id: `${mutant.id} (${count})` };
  });
}

/**
 * Chooses mutants by their names and a seed: a change of the sources replaces the mutants of what has changed and no others.
 * @param {readonly Mutant[]} mutants
 * @param {string} seed
 * @param {number} first
 * @param {number} count
 */
export function chooseMutants(mutants, seed, first, count) {
  const rank = (/** @type {Mutant} */ { id }) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  const ranked = mutants.map((mutant) => ({ mutant, rank: rank(mutant) }));
  ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return ranked.slice(first, first + count).map(({ mutant }) => mutant);
}

/** Returns the source with the fault. @param {string} source @param {Pick<Mutant, 'start' | 'end' | 'text'>} mutant */
export function apply(source, { start, end, text }) {
  return source.slice(0, start) + text + source.slice(end);
}
