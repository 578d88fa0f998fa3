/**
 * Collects the garbage of the calling thread and makes its heap as small as it can be. V8 does that by itself half a minute
 * after the work, or never. The `gc` of its flags would leave the young generation, up to 32 MiB, as large as it is.
 */
export async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  try {
    await new Promise<void>((resolve, reject) => {
      session.post('HeapProfiler.collectGarbage', (error) => (error ? reject(error) : resolve()));
    });
  } finally {
    session.disconnect();
  }
}
