import type { LastLink } from '../../../src/files/last-link.ts';
import { here } from '../run/process.ts';

/**
 * Replaces src/files/last-link.ts: all processes of a run share one data folder, which survives everything that happens
 * to Redis.
 */
export function makeLastLinkMemory(dir: string) {
  const { links } = here().shared as unknown as { links: Map<string, LastLink> };
  return {
    dir,
    read: async (): Promise<LastLink | undefined> => links.get(dir),
    async remember(link: LastLink): Promise<void> {
      if ((links.get(dir)?.number ?? 0) < link.number) links.set(dir, link);
    },
  };
}
