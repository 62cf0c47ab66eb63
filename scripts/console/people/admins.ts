import type { Context } from '../../../src/context.ts';

/** A sentence names a few, see refusal-words.ts; one more tells that there are others. */
const ENOUGH = 6;

/** As many users as an installation has; of more, those that come first by name are looked at. */
const MOST_LOOKED_AT = 1_000;
const PAGE = 200;

/** Refusals may come by the hundred, and admins come and go rarely. */
const FRESH_MS = 10_000;

/** Reads the names of those who look after the roles: the first few, by name; none where an identity provider has them. */
export function makeAdminReader({ people }: Pick<Context, 'people'>): () => Promise<readonly string[]> {
  let reading: Promise<readonly string[]> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    let after: string | undefined;
    for (let looked = 0; looked < MOST_LOOKED_AT && found.length < ENOUGH; looked += PAGE) {
      const { users, next } = await people.users.list({ after, limit: PAGE, text: '' });
      found.push(...users.filter(({ roles }) => roles.includes('admin')).map(({ name }) => name));
      if (next === undefined) break;
      after = next;
    }
    return found;
  };
  return () => {
    if (reading && performance.now() - readAtMs < FRESH_MS) return reading;
    readAtMs = performance.now();
    reading = read();
    // One that failed is tried again with the next refusal.
    reading.catch(() => {
      reading = undefined;
    });
    return reading;
  };
}
