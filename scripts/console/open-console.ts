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
 * Makes the console with all pages; it does not listen yet.
 *
 * @param who access functions in place of the context's
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

/** So many names of admins are enough: a refusal names five at the most (access/add-access.ts). */
const ENOUGH = 6;

/** Users searched at most, sorted by name. */
const MOST_LOOKED_AT = 1_000;
const PAGE = 200;

/** How long the names are cached: refusals may come by the hundred, and admins change rarely. */
const FRESH_MS = 10_000;

/** Makes a reader of the first admins' names; empty where an identity provider assigns roles. */
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
    // If the names could not be read, the next refusal reads them again.
    reading.catch(() => {
      reading = undefined;
    });
    return reading;
  };
}
