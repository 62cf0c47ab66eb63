import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Settings } from '../../src/config.ts';
import { makeMessage } from '../../src/notices/make-message.ts';
import type { Sent, Way, WayName } from '../../src/notices/way.ts';
import { openWays } from '../../src/notices/ways.ts';

/** What came of a test on one way. */
export type Tested = { way: WayName; where: string; isDelivered: boolean; words: string };

/** Sends a notice to each way that is set, at once and not by the outbox, so that who sets a way up sees what comes of it. */
export async function sendTest(
  { settings, account, ways = openWays(settings) }: { settings: Settings; account: string; ways?: readonly Way[] },
  { signal }: { signal: AbortSignal },
): Promise<Tested[]> {
  const notice = {
    kind: 'test' as const,
    title: 'This is a test: notices of Limitline arrive here',
    facts: [{ term: 'Sent from', what: hostname() }],
    path: '/nightly',
    atMs: Date.now(),
  };
  const message = makeMessage({ id: randomUUID(), notice }, { account, consoleUrl: settings.CONSOLE_URL });
  return Promise.all(ways.map(async (way) => testedBy(way, await way.send(message, { signal }))));
}

function testedBy({ name, where }: Way, sent: Sent): Tested {
  return { way: name, where, isDelivered: sent.is === 'delivered', words: sent.words };
}
