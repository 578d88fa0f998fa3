/**
 * Returns the environment of a child without the settings of `acqstore` in it: the settings file that the page shows is
 * what counts.
 */
export function cleanEnvironment(added: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('ACQSTORE_'));
  return { ...Object.fromEntries(kept), ...added };
}
