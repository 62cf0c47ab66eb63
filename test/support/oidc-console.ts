import { randomBytes } from 'node:crypto';
import type { AuditNote } from '../../src/audit/audit.ts';
import type { SignInOptions } from '../../src/console/sign-in/add-oidc-sign-in.ts';
import { makeSharedKeys } from '../../src/ledger/schema/keys.ts';
import { readGroupRoles } from '../../src/people/oidc/group-roles.ts';
import { type Anew, makeOidc, makeSignIns } from '../../src/people/oidc/oidc.ts';
import { makePersonNames } from '../../src/people/oidc/people-elsewhere.ts';
import { makeIssuerFetch, makeProvider } from '../../src/people/oidc/provider.ts';
import type { Person } from '../../src/people/person.ts';
import { connectRedis, freshPrefix } from './ledger.ts';
import { openBareConsole } from './marked-console.ts';
import { makeKeptLog } from './workplace.ts';

/** The map of groups to roles in these tests. */
const ROLES = ['finance team=finance+viewer', 'heads=approver', '<b>ops</b>=operator'];

export const CLIENT = { id: 'limitline', secret: 'theSecretOfTheConsole' };

/**
 * A console with sign-in at an identity provider. Its sign-ins are stored in a real Redis; its sessions, which are not
 * part of these tests, and its audit are in memory.
 *
 * @param given.prefix the prefix of another such console, which makes this one another host of the same installation
 */
export async function openOidcConsole(given: {
  issuer: string;
  prefix?: string;
  sessions?: Map<string, Person>;
  groupsClaim?: string;
}) {
  const { issuer, prefix = freshPrefix(), sessions = new Map<string, Person>(), groupsClaim = 'groups' } = given;
  const connection = connectRedis();
  const { log, lines } = makeKeptLog();
  const notes: AuditNote[] = [];
  const proofs: Anew[] = [];
  const keys = makeSharedKeys(prefix);
  const provider = makeProvider({
    issuer,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    scopes: ['openid', 'profile', 'email'],
    fetch: makeIssuerFetch({}),
    log,
  });
  const oidc = makeOidc({
    provider,
    signIns: makeSignIns({ connection, keys }),
    nameOf: makePersonNames({ connection, keys }),
    groupsClaim,
    groupRoles: ROLES.flatMap((pair) => readGroupRoles(pair) ?? []),
  });
  const signIn: SignInOptions = {
    gate: {
      cookie: '__Host-limitline-test',
      isNeeded: async () => true,
      read: async (token) => {
        const person = sessions.get(token);
        return person && { person, owes: undefined, session: token.slice(0, 8) };
      },
      opening: { cookie: 'limitline-opened-test', open: async () => undefined },
      living: async (tokens) => tokens.map((token) => sessions.has(token)),
    },
    functions: { ...noPasswords(), end: async (token) => void sessions.delete(token) },
    audit: {
      note: async (note) => void notes.push(note),
      refusal: async (note) => void notes.push(note),
      around: async (note, act) => {
        notes.push(note);
        return act();
      },
    },
    formKey: randomBytes(32),
    oidc: {
      oidc,
      beginSession: async (person) => {
        const token = randomBytes(32).toString('base64url');
        sessions.set(token, person);
        return token;
      },
      keepProof: async (anew) => void proofs.push(anew),
    },
  };
  const bare = await openBareConsole({ log, signIn, pages: (app) => app.get('/me', async ({ person }) => person) });
  return { ...bare, notes, proofs, lines, prefix, sessions, connection };
}

/** A console without local users. */
function noPasswords(): SignInOptions['functions'] {
  const none = async () => {
    throw new Error('there are no users here');
  };
  return {
    password: async () => ({ is: 'no' }),
    code: async () => ({ is: 'no' }),
    beginFactor: none,
    confirmFactor: none,
    setPassword: none,
    end: none,
    isUser: async () => false,
    ways: [{ href: '/sign-in/oidc', words: 'Sign in with the test' }],
  };
}

/** The cookies of a browser, as far as these tests need them: by host and port, without expiry. */
export function makeCookieJar() {
  const jar = new Map<string, Map<string, string>>();
  const cookiesOf = (url: URL) => {
    const cookies = jar.get(url.host) ?? new Map<string, string>();
    jar.set(url.host, cookies);
    return cookies;
  };
  return {
    cookiesOf: (address: string) => cookiesOf(new URL(address)),
    /** One request with the cookies of its host; redirects are not followed. */
    async ask(address: string, { method = 'GET', headers = {}, form }: Asked = {}) {
      const url = new URL(address);
      const cookies = cookiesOf(url);
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        headers: { ...headers, ...(cookie === '' ? {} : { cookie }) },
        ...(form ? { body: new URLSearchParams(form) } : {}),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
      const location = response.headers.get('location');
      return {
        status: response.status,
        headers: response.headers,
        /** The full address of a redirect. */
        to: location === null ? undefined : new URL(location, url).href,
        text: await response.text(),
      };
    },
  };
}

type Asked = { method?: string; headers?: Record<string, string>; form?: Record<string, string> };
