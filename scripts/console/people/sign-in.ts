import { createHmac } from 'node:crypto';
import { t } from '../../../src/console/html/html.ts';
import { OIDC_ADDRESS, type SignInOptions } from '../../../src/console/sign-in/add-oidc-sign-in.ts';
import type { GateFunctions, OtherWay, SignInFunctions } from '../../../src/console/sign-in/people-functions.ts';
import { openedCookieName, sessionCookieName } from '../../../src/console/sign-in/session-cookie.ts';
import type { Context } from '../../../src/context.ts';
import { makeSharedKeys } from '../../../src/ledger/schema/keys.ts';
import { readGroupRoles } from '../../../src/people/oidc/group-roles.ts';
import { makeOidc, makeSignIns, type Oidc } from '../../../src/people/oidc/oidc.ts';
import { makePersonNames } from '../../../src/people/oidc/people-elsewhere.ts';
import { makeIssuerFetch, makeProvider } from '../../../src/people/oidc/provider.ts';
import { changeOwn } from './own-account.ts';

/** Hex digits of the mark in cookies' names: enough to distinguish installations on one machine. */
const MARK_DIGITS = 8;

/** The options of the console's sign-in, with keys from the installation's secret. */
export async function signInOptions(context: Context): Promise<SignInOptions> {
  const formKey = await context.secret.key('csrf');
  const oidc = openOidc(context);
  return {
    formKey,
    audit: context.audit,
    gate: gateFunctions(context, markBy(formKey)),
    functions: { ...signInFunctions(context), ways: waysOf(oidc) },
    oidc: oidc && {
      oidc,
      beginSession: (person, client) => context.people.sessions.begin({ person, ...client }),
      keepProof: context.people.elsewhere.keepProof,
    },
  };
}

/** A part of the names of cookies, the same for all consoles of an installation. */
function markBy(formKey: Buffer): string {
  return createHmac('sha256', formKey).update('cookie').digest('hex').slice(0, MARK_DIGITS);
}

/** Ways to sign in besides a password. */
function waysOf(oidc: Oidc | undefined): OtherWay[] {
  return oidc === undefined ? [] : [{ href: OIDC_ADDRESS, words: t`Sign in with ${oidc.name}` }];
}

function gateFunctions({ people, audit }: Context, mark: string): GateFunctions {
  return {
    cookie: sessionCookieName(mark),
    opening: {
      cookie: openedCookieName(mark),
      open: async (link, client) => {
        const opened = await people.openings.open(link, client);
        if (!opened) return undefined;
        await audit.note({ by: opened.by, what: 'session begun', from: client.from, facts: { by: 'link' } });
        return opened.token;
      },
    },
    isNeeded: () => people.required(),
    read: (token, how) => people.sessions.read(token, how),
    living: (tokens) => people.sessions.living(tokens),
  };
}

function signInFunctions(context: Context): Omit<SignInFunctions, 'ways'> {
  const { people } = context;
  const { confirmFactor, setPassword } = changeOwn(context);
  return {
    password: (given) => people.signIn.password(given),
    code: (given) => people.signIn.code(given),
    beginFactor: (name) => people.users.beginFactor(name),
    confirmFactor,
    setPassword,
    end: async (token) => void (await people.sessions.end(token)),
    isUser: async (name) => (await people.users.read(name)) !== undefined,
  };
}

/** Sign-in at the configured identity provider, if there is one. Sends no request yet. */
function openOidc({ settings, ledger, log }: Pick<Context, 'settings' | 'ledger' | 'log'>): Oidc | undefined {
  const { CONSOLE_OIDC_ISSUER: issuer, CONSOLE_OIDC_CLIENT_ID: clientId } = settings;
  if (issuer === undefined || clientId === undefined) return undefined;
  const keys = makeSharedKeys(settings.LIMITLINE_PREFIX);
  return makeOidc({
    provider: makeProvider({
      issuer,
      clientId,
      clientSecret: settings.CONSOLE_OIDC_CLIENT_SECRET,
      scopes: settings.CONSOLE_OIDC_SCOPES,
      fetch: makeIssuerFetch(settings),
      log,
    }),
    signIns: makeSignIns({ connection: ledger, keys }),
    nameOf: makePersonNames({ connection: ledger, keys }),
    groupsClaim: settings.CONSOLE_OIDC_GROUPS_CLAIM,
    groupRoles: settings.CONSOLE_OIDC_ROLES.flatMap((pair) => readGroupRoles(pair) ?? []),
  });
}
