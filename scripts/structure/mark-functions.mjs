// A loader of modules: puts a call at the start of each function of dist/.
import { parseAst, Visitor } from 'vite';

const OWN = /\/(?:packages\/(\w[\w-]*)\/)?dist\/(.*)\.js$/;

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  const result = await next(url, context);
  const own = OWN.exec(url);
  if (!own || url.includes('/node_modules/vite') || result.format !== 'module') return result;
  if (String(result.source).includes('__entered')) return result;
  return { ...result, source: marked(String(result.source), own[0]) };
}

/** @param {string} source @param {string} path */
function marked(source, path) {
  /** @type {[at: number, text: string][]} */
  const added = [];
  /** @param {import('vite').ESTree.Function | import('vite').ESTree.ArrowFunctionExpression} node */
  const mark = ({ body, start }) => {
    if (!body) return;
    const call = `globalThis.__entered?.(${JSON.stringify(`${path.replace(/\.js$/, '')}\t${start}`)})`;
    if (body.type === 'BlockStatement') added.push([body.start + 1, `${call};`]);
    else added.push([body.start, `(${call}, (`], [body.end, '))']);
  };
  const visitor = new Visitor({
    FunctionDeclaration: mark,
    FunctionExpression: mark,
    ArrowFunctionExpression: mark,
  });
  visitor.visit(parseAst(source));
  let [text, at] = ['', 0];
  for (const [place, more] of added.sort((a, b) => a[0] - b[0])) {
    text += source.slice(at, place) + more;
    at = place;
  }
  return text + source.slice(at);
}
