import type { FastifyRequest } from 'fastify';
import type { Audit } from '../../src/audit/audit.ts';
import { makeConsole } from '../../src/console/console.ts';
import { addPages } from '../../src/console/pages/index.ts';
import type { Context } from '../../src/context.ts';
import type { Person } from '../../src/people/person.ts';
import { consoleFunctions } from './functions.ts';
import { readStrip } from './read-strip.ts';

/** The console of a context, which does not listen yet: with all pages, each handed what it needs. */
export function openConsole(
  context: Context,
  given: { audit?: Audit; personOf?: (request: FastifyRequest) => Person } = {},
) {
  const { settings, log } = context;
  const functions = consoleFunctions(context);
  return makeConsole({
    host: settings.CONSOLE_HOST,
    port: settings.CONSOLE_PORT,
    account: `${settings.LIMITLINE_PREFIX} ${context.account}`,
    log,
    ...given,
    strip: () => readStrip(context),
    pages: (app, hub) => addPages(app, hub, functions),
  });
}
