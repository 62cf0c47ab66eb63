import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyRequest } from 'fastify';
import { Secret, TOTP } from 'otpauth';
import { onTestFinished } from 'vitest';
import { consoleLink, openConsole as openConsoleOf } from '../../scripts/console/open-console.ts';
import type { AuditNote } from '../../src/audit/audit.ts';
import { readSettings, STAND_IN_CREDENTIALS } from '../../src/config.ts';
import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import { openContext } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import { type Person, ROLES, type Role } from '../../src/people/person.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { callCommand, ownDataHome, startCommand } from './command.ts';
import { ownRedis } from './ledger.ts';
import { cheapHash, PASSWORD } from './people.ts';
import { buyerLines, makeFolder, startStandIn } from './workplace.ts';

/** The place of an operator: a folder with a file of so many buyers, `q4.csv`, a stand-in, and the command line. */
export async function openDesk(rows: number, faults: FaultChange = {}, settings: Record<string, string> = {}) {
  const cwd = await makeFolder();
  const standIn = await startStandIn(faults);
  const env = {
    ...ownRedis(),
    SERVICE_URL: standIn.url(),
    SERVICE_CLIENT_ID: STAND_IN_CREDENTIALS.clientId,
    SERVICE_CLIENT_SECRET: STAND_IN_CREDENTIALS.clientSecret,
    ...settings,
  };
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(rows).join('\n')}\n`);
  const limitline = (...args: string[]) => callCommand(args, { cwd, env });
  return {
    cwd,
    env,
    standIn,
    /** Runs a command to its end in the process of the test. */
    limitline,
    /** The JSON output of a command. */
    json: async (...args: string[]) => JSON.parse((await limitline(...args, '--json')).stdout),
    /** Starts a command as a process. */
    start: (...args: string[]) => startCommand(args, { cwd, env }),
    /** The names of the files in the folder, without hidden ones. */
    names: async () => (await readdir(cwd)).filter((name) => !name.startsWith('.')).sort(),
    read: (name: string) => readFile(join(cwd, name), 'utf8'),
  };
}

/**
 * The cookies of consoles that this test opened by link, by address; browsers of the test get them
 * (test/support/browser.ts).
 */
export const OPENED = new Map<string, { name: string; value: string }>();

/**
 * The console in the process of the test, on its own port, for the folder and settings of a desk. It is closed when the
 * test ends. While it has no users, the visitor and each browser of the test have opened it by its link.
 *
 * @param who the visiting person, in place of sessions
 */
export async function openConsole(
  { cwd, env }: { cwd: string; env: Record<string, string> },
  who: Partial<AccessFunctions> = {},
) {
  const settings = readSettings({ env: { ...ownDataHome(cwd), ...env, CONSOLE_PORT: '0' }, cwd });
  const context = await openContext({ settings, log: makeSilentLog(), hash: cheapHash });
  const web = await openConsoleOf(context, who);
  onTestFinished(async () => {
    await web.close();
    await context.close();
  });
  await web.listen();
  const url = web.url();
  const visitor = makeVisitor(url);
  const link = who.identify ? undefined : await consoleLink(context, url);
  if (link !== undefined) {
    await visitor.get(link.slice(url.length));
    const [name = '', value = ''] = [...visitor.cookies].find(([one]) => one.startsWith('limitline-opened-')) ?? [];
    OPENED.set(url, { name, value });
    onTestFinished(() => void OPENED.delete(url));
  }
  /** For requests other than pages and forms, with the visitor's cookies. */
  const open = (path: string, init: RequestInit = {}) => {
    const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ');
    return fetch(`${url}${path}`, { ...init, headers: { ...(cookie && { cookie }), ...(init.headers as object) } });
  };
  return { context, app: web.app, url, open, ...visitor };
}

/** Opens a console without users by its printed link. */
export async function openByLink(link: string) {
  const { origin, pathname, search } = new URL(link);
  const visitor = makeVisitor(origin);
  await visitor.get(`${pathname}${search}`);
  return visitor;
}

/** The address of an upload's page. The page itself waits some seconds for its file to be read. */
const UPLOAD_PAGE = /^\/new\/[\w-]{12}(?:\?|$)/;

/** Gets pages and posts forms like a browser, with its cookies and the token of the last page. */
export function makeVisitor(url: string) {
  const cookies = new Map<string, string>();
  let token = '';
  const ask = async (path: string, init: RequestInit, headers: Record<string, string>) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(`${url}${path}`, {
      ...init,
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
    });
    for (const set of response.headers.getSetCookie()) keepCookie(cookies, set);
    // Numbers have elements of their own, and are read as part of the text around them.
    const text = (await response.text()).replace(/<data class="grouped"[^>]*>([^<]*)<\/data>/g, '$1');
    token = /name="csrf-token" content="([^"]*)"/.exec(text)?.[1] ?? token;
    return { status: response.status, headers: response.headers, text };
  };
  /** Like a browser, it asks again for an upload's page while the file is still being read. */
  const get = async (path: string, headers: Record<string, string> = {}): ReturnType<typeof ask> => {
    for (;;) {
      const answer = await ask(path, {}, headers);
      if (!UPLOAD_PAGE.test(path) || !answer.headers.has('refresh')) return answer;
    }
  };
  return {
    get,
    /** Posts a form like a page of the console. */
    async post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
      if (token === '') await get('/keys');
      return ask(
        path,
        { method: 'POST', body: new URLSearchParams({ _csrf: token, ...fields }).toString() },
        {
          'content-type': 'application/x-www-form-urlencoded',
          origin: url,
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
      );
    },
    /** The headers that a request of the test needs to be accepted. */
    credentials: async () => {
      if (token === '') await get('/keys');
      return { cookie: [...cookies].map((pair) => pair.join('=')).join('; '), token, origin: url };
    },
    /** The cookies by name; a test may delete or replace one. */
    cookies,
  };
}

function keepCookie(cookies: Map<string, string>, set: string): void {
  const [pair = '', ...attributes] = set.split(';');
  const [name = '', value = ''] = pair.trim().split(/=(.*)/s);
  const isGone = attributes.some((one) => /^\s*(?:max-age=0|expires=Thu, 01 Jan 1970)/i.test(one));
  if (isGone) cookies.delete(name);
  else cookies.set(name, value);
}

/** The text that a person reads on a page: what is between the tags, with single spaces. */
export function plainText(markup: string): string {
  return markup
    .replace(/<(?:script|style|svg)[\s\S]*?<\/(?:script|style|svg)>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}

/** A file of a form: the name of the field, the name of the file, and its content. */
export type FormFile = [field: string, name: string, content: string | Buffer];

type Visitor = { url: string; credentials: () => Promise<{ cookie: string; token: string; origin: string }> };

/** Uploads files like the form of the console without script, and returns the answer. */
export const uploadTo = (visitor: Visitor, ...files: FormFile[]) => sendFilesTo(visitor, '/new/upload', files);

/** Sends files to an address of the console like a form. */
export async function sendFilesTo({ url, credentials }: Visitor, address: string, files: readonly FormFile[]) {
  const { cookie, token, origin } = await credentials();
  const body = new FormData();
  for (const [field, name, content] of files) body.append(field, new Blob([content]), name);
  const response = await fetch(`${url}${address}?_csrf=${encodeURIComponent(token)}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin, 'sec-fetch-site': 'same-origin', cookie },
    body,
  });
  return { status: response.status, location: response.headers.get('location') ?? '', text: await response.text() };
}

/** A page without the marks around numbers that scripts show in the reader's locale. */
export function unmarked(markup: string): string {
  return markup.replace(/<\/?data\b[^>]*>/g, '');
}

/** A rule of the stand-in: the limit of this buyer gets this status and this share of the amount. */
export function decided(buyer: number, status: string, share = 0) {
  return { on: 'limit', match: `HRB ${buyer}"`, fault: 'decision', status, share } as const;
}

/** A person who may do everything and is no user, for tests of pages. */
export const ANYBODY: Person = { by: 'console', roles: ROLES };

/**
 * The header by which a test names the visiting person, such as `fiona finance+approver`; without it the visitor is
 * unknown.
 */
const WHO = 'x-test-who';

/** The headers of a request of this person. */
export function as(by: string, ...roles: string[]): Record<string, string> {
  return { [WHO]: `${by} ${roles.join('+')}` };
}

/** A console that identifies people by a header, for tests of rights. */
export const byHeader: Pick<AccessFunctions, 'identify'> = {
  identify: async ({ headers }: FastifyRequest): Promise<Person | undefined> => {
    const [by, roles = ''] = String(headers[WHO] ?? '').split(' ');
    return by ? { by, roles: ROLES.filter((role) => roles.split('+').includes(role)) } : undefined;
  },
};

/** An audit in memory, with the entries in order and the results of actions. */
export function openNotedAudit() {
  const entries: (AuditNote & { is?: 'wished' | 'done' | 'failed' | 'refused' })[] = [];
  const audit: AccessFunctions['audit'] = {
    note: async (note) => void entries.push(note),
    refusal: async (note) => void entries.push({ ...note, is: 'refused' }),
    async around(note, act, facts) {
      entries.push({ ...note, is: 'wished' });
      try {
        const answer = await act();
        entries.push({ ...note, is: 'done', facts: { ...facts?.(answer) } });
        return answer;
      } catch (error) {
        entries.push({ ...note, is: 'failed' });
        throw error;
      }
    },
  };
  return { audit, entries };
}

type Web = Pick<Awaited<ReturnType<typeof openConsole>>, 'context' | 'url'>;

/**
 * Adds a user with a password, and a second factor if the roles need one. Returns the user with the secret of the authenticator app.
 */
export async function addUser({ context: { people } }: Pick<Web, 'context'>, name: string, roles: readonly Role[]) {
  await people.users.add({ name, roles, password: PASSWORD, mustChange: false });
  if (roles.every((role) => role === 'viewer')) return { name, password: PASSWORD, secret: '' };
  const { secret } = await people.users.beginFactor(name);
  const confirm = () => people.users.confirmFactor(name, codeOf(secret, -1));
  // If a time step of codes ends meanwhile, the first code is too old, and the second one is valid.
  const codes = (await confirm()) ?? (await confirm());
  if (!codes) throw new Error('The first code did not do.');
  return { name, password: PASSWORD, secret, codes };
}

/** The code of the authenticator app; `steps` of 30 seconds later or earlier, because each code is valid once. */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
}

/** A visitor who opened the console and signed in by its pages. */
export async function signIn(
  { url }: Pick<Web, 'url'>,
  user: { name: string; password: string; secret: string },
  code = user.secret === '' ? '' : codeOf(user.secret),
) {
  const visitor = makeVisitor(url);
  await visitor.get('/sign-in');
  const answer = await visitor.post('/sign-in', { name: user.name, password: user.password, to: '/keys' });
  if (answer.status !== 303) throw new Error(`${user.name} could not sign in: ${answer.status} ${answer.text}`);
  if (code !== '') {
    await visitor.get('/sign-in/code');
    const coded = await visitor.post('/sign-in/code', { code, to: '/keys' });
    if (coded.status !== 303) throw new Error(`The code of ${user.name} did not do: ${coded.status} ${coded.text}`);
  }
  await visitor.get('/keys');
  return visitor;
}

/** The audit entries, the oldest first. The second entry of an action has its result. */
export async function auditOf({ context: { audit } }: Pick<Web, 'context'>) {
  const { entries } = await audit.read.page({ count: 500, walk: 1_000 });
  return entries.reverse();
}

/** The ledger of a desk, for reading and manipulating; closed when the test ends. */
export async function openContextOf({ cwd, env }: { cwd: string; env: Record<string, string> }) {
  const settings = readSettings({ env: { ...ownDataHome(cwd), ...env }, cwd });
  const context = await openContext({ settings, log: makeSilentLog() });
  onTestFinished(() => context.close());
  return context;
}
