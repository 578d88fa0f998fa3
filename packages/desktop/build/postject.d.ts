/** The part that is used of a package without types of its own. */
declare module 'postject' {
  /** Adds a resource to an executable, in place. */
  export function inject(
    path: string,
    name: string,
    resource: Buffer,
    options: { sentinelFuse: string; machoSegmentName?: string },
  ): Promise<void>;
}
