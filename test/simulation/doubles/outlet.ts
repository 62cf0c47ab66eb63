import type { Post, Reply } from '../../../src/service/send.ts';
import { here } from '../run/process.ts';
import type { ServiceAccount } from './service-account.ts';

/** Replaces src/service/outlet.ts: calls of the process go to the service of its run. */
export function makeOutlet() {
  const { service } = here().shared as unknown as { service: ServiceAccount };
  return { send: (post: Post): Promise<Reply> => service.send(post), close: async (): Promise<void> => {} };
}
