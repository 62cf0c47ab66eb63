import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import { makeConsole } from '../../src/console/console.ts';
import { addPages } from '../../src/console/pages/index.ts';
import type { Context } from '../../src/context.ts';
import { consoleFunctions } from './functions.ts';
import { makeAdminReader } from './people/admins.ts';
import { signInOptions } from './people/sign-in.ts';
import { readStrip } from './read-strip.ts';

/**
 * The console of a context, which does not listen yet: with all pages, each handed what it needs.
 *
 * @param who who asks, and what becomes of that, in place of what the context says
 */
export async function openConsole(context: Context, who: Partial<AccessFunctions> = {}) {
  const { settings, log } = context;
  const functions = consoleFunctions(context);
  return makeConsole({
    host: settings.CONSOLE_HOST,
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
