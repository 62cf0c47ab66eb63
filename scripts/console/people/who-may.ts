import { isOfSystem } from '../../../src/actor.ts';
import { isAllowed, RESUMES } from '../../../src/console/access/access.ts';
import type { WhoMay } from '../../../src/console/pages/who-may.ts';
import type { Context } from '../../../src/context.ts';
import type { PortfolioState } from '../../../src/ledger/portfolios/portfolio.ts';
import { sharedFor } from '../../../src/once-at-a-time.ts';
import type { Role } from '../../../src/people/person.ts';

/**
 * The most names of users that are read for a sentence about who may act. The sentence names five at most, and the sixth shows that there
 * are more.
 */
const ENOUGH = 6;

/** The most users that are searched, in the order of their names. */
const MOST_LOOKED_AT = 1_000;
const PAGE = 200;

/** How long the names are cached: pages ask twice a second, and roles change rarely. */
const FRESH_MS = 10_000;

/** Makes a reader of the names of the first users with a role; none where an identity provider assigns roles. */
export function makeRoleReader({ people }: Pick<Context, 'people'>) {
  return sharedFor(FRESH_MS, async (role): Promise<readonly string[]> => {
    const found: string[] = [];
    let after: string | undefined;
    for (let looked = 0; looked < MOST_LOOKED_AT && found.length < ENOUGH; looked += PAGE) {
      const { users, next } = await people.users.list({ after, limit: PAGE, text: '' });
      found.push(...users.filter(({ roles }) => roles.includes(role as Role)).map(({ name }) => name));
      if (next === undefined) break;
      after = next;
    }
    return found;
  });
}

export type RoleReader = ReturnType<typeof makeRoleReader>;

export type WhoMayReader = ReturnType<typeof makeWhoMay>;

export function makeWhoMay({ people }: Pick<Context, 'people'>, namesOf: RoleReader) {
  return async ({ owner, pauseKind }: Pick<PortfolioState, 'owner' | 'pauseKind'>): Promise<WhoMay> => {
    const operate = await namesOf('operator');
    const user = owner === undefined || isOfSystem(owner) ? undefined : await people.users.read(owner);
    const others = user ? operate.filter((name) => name !== user.name) : operate;
    const own = user?.roles.includes('finance') ? [user.name, ...others] : operate;
    return { operate, own, resume: isAllowed(RESUMES, { roles: ['finance'], owns: true }, pauseKind) ? own : operate };
  };
}
