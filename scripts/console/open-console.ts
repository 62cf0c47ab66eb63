import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import { makeConsole } from '../../src/console/console.ts';
import { addPages } from '../../src/console/pages/index.ts';
import { checkUsers, type Reach } from '../../src/console/server/reach.ts';
import type { Context } from '../../src/context.ts';
import { consoleFunctions } from './functions.ts';
import { signInOptions } from './people/sign-in.ts';
import { makeRoleReader } from './people/who-may.ts';
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
  const namesOf = makeRoleReader(context);
  const functions = consoleFunctions(context, namesOf);
  return makeConsole({
    host: reach.host,
    reach,
    port: settings.CONSOLE_PORT,
    account: `${settings.LIMITLINE_PREFIX} ${context.account}`,
    log,
    strip: () => readStrip(context),
    audit: context.audit,
    signIn: await signInOptions(context),
    admins: () => namesOf('admin'),
    owns: ({ by }, portfolio) => context.portfolios.isOwn(portfolio, by),
    ...who,
    pages: (app, hub) => addPages(app, hub, functions),
  });
}
