import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import { makeConsole } from '../../src/console/console.ts';
import { addPages } from '../../src/console/pages/index.ts';
import { checkUsers, type Reach } from '../../src/console/server/reach.ts';
import type { Context } from '../../src/context.ts';
import { consoleFunctions } from './functions.ts';
import { signInOptions } from './people/sign-in.ts';
import { reachOf } from './reach-of.ts';
import { readStrip } from './read-strip.ts';

/**
 * The console of a context, which does not listen yet: with all pages, each handed what it needs.
 *
 * @param given from where it is reached, who asks, and what becomes of that, in place of what the context says
 * @throws LimitlineError `SETTINGS` where others can reach it and nobody could sign in
 */
export async function openConsole(
  context: Context,
  { reach = reachOf(context.settings), ...who }: Partial<AccessFunctions> & { reach?: Reach } = {},
) {
  const { settings, log } = context;
  await checkUsers(reach, {
    hasOidc: settings.CONSOLE_OIDC_ISSUER !== undefined,
    hasUsers: () => context.people.required(),
  });
  const functions = consoleFunctions(context);
  return makeConsole({
    host: reach.host,
    reach,
    port: settings.CONSOLE_PORT,
    account: `${settings.LIMITLINE_PREFIX} ${context.account}`,
    log,
    strip: () => readStrip(context),
    audit: context.audit,
    signIn: await signInOptions(context),
    admins: makeAdminReader(context),
    owns: ({ by }, portfolio) => context.portfolios.isOwn(portfolio, by),
    ...who,
    pages: (app, hub) => addPages(app, hub, functions),
  });
}

/** A sentence names a few, see refusal-words.ts; one more tells that there are others. */
const ENOUGH = 6;

/** As many users as an installation has; of more, those that come first by name are looked at. */
const MOST_LOOKED_AT = 1_000;
const PAGE = 200;

/** Refusals may come by the hundred, and admins come and go rarely. */
const FRESH_MS = 10_000;

/** Reads the names of those who look after the roles: the first few, by name; none where an identity provider has them. */
function makeAdminReader({ people }: Pick<Context, 'people'>): () => Promise<readonly string[]> {
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
