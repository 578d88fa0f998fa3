/** Environment of a program in which a package cannot be resolved, as where it is not installed. */
export function withoutPackage(name: string): { NODE_OPTIONS: string } {
  const hooks = `export async function resolve(specifier, context, next) {
    if (specifier === '${name}') throw new Error('${name} was resolved');
    return next(specifier, context);
  }`;
  const toUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(toUrl(hooks))});`;
  return { NODE_OPTIONS: `--import "${toUrl(register)}"` };
}
