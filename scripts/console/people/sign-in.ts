import { createHmac } from 'node:crypto';
import type { SignInOptions } from '../../../src/console/sign-in/add-sign-in-pages.ts';
import type { GateFunctions } from '../../../src/console/sign-in/people-functions.ts';
import { sessionCookieName } from '../../../src/console/sign-in/session-cookie.ts';
import type { SignInFunctions } from '../../../src/console/sign-in/sign-in-functions.ts';
import type { Context } from '../../../src/context.ts';
import { changeOwn } from './change-own.ts';

/** Enough to tell the installations of one machine apart. */
const MARK_DIGITS = 8;

/** How people sign in to the console of a context, by the installation's secret. */
export async function signInOptions(context: Context): Promise<SignInOptions> {
  const formKey = await context.secret.key('csrf');
  const mark = createHmac('sha256', formKey).update('cookie').digest('hex').slice(0, MARK_DIGITS);
  return {
    formKey,
    audit: context.audit,
    gate: gateFunctions(context, sessionCookieName(mark)),
    functions: signInFunctions(context),
  };
}

function gateFunctions({ people }: Context, cookie: string): GateFunctions {
  return {
    cookie,
    isNeeded: () => people.required(),
    read: (token, how) => people.sessions.read(token, how),
    living: (tokens) => people.sessions.living(tokens),
  };
}

function signInFunctions(context: Context): SignInFunctions {
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
    ways: [],
  };
}
