import { expect, test } from 'vitest';
import { MASK } from '../../../src/console/privacy/mask.ts';
import { MARK } from '../../support/key-contents.ts';
import { openMarkedConsole } from '../../support/marked-console.ts';

type Used = Awaited<ReturnType<typeof openMarkedConsole>>;

/** Two people read every page of a used console, some of them with a search through a file. */
const TIMEOUT_MS = 300_000;

const as = (roles: string) => ({ 'x-test-roles': roles });

/** Content types that are ASCII, or declare their encoding themselves (RFC 8259, WHATWG’s HTML 9.2.5). */
const WITHOUT_CHARSET = /^(?:text\/event-stream|image\/|font\/|application\/(?:octet-stream|vnd\.|json$|manifest))/;

/** The reason why an answer’s type, encoding or security headers are wrong, or an empty text. */
function faultOf(headers: Headers, text: string): string {
  const says = (name: string) => headers.get(name) ?? '';
  const type = says('content-type');
  const isTyped = text === '' || WITHOUT_CHARSET.test(type) || /; ?charset=utf-8$/i.test(type);
  const policy = says('content-security-policy');
  const isGuarded =
    says('x-content-type-options') === 'nosniff' &&
    says('access-control-allow-origin') === '' &&
    says('referrer-policy') === 'same-origin' &&
    /default-src 'none'.*frame-ancestors 'none'/.test(policy) &&
    says('x-powered-by') === '';
  return isTyped && isGuarded ? '' : `${type} ${policy.slice(0, 30)}`;
}

/** Files that are the same for everybody: their address has a digest, or they belong to the board’s package. */
const SAME_FOR_ALL = /^\/assets\/[0-9a-f]{12}\/|^\/queues\/static\//;

/** An answer to a GET, and what asked for it. */
type Answer = { who: 'viewer' | 'finance'; path: string; status: number; headers: Headers; text: string };

/** A page as finance, with the audit entries of its request, and the bytes of its answer. */
type Page = Answer & { bytes: number; noted: Used['audit']['noted'] };

/** Everything that the addresses of a used console answer, read once for the tests of this file. */
async function walk() {
  const used = await openMarkedConsole();
  const { get, addresses, url, audit } = used;
  await expectNoFiles(used);
  const linked = async (page: string, link: RegExp) =>
    [...(await get(page)).text.matchAll(link)].map(([, path]) => new URL(path ?? '', `${url}${page}/`).pathname);
  const assets = await linked('/keys', /(?:href|src)="(\/assets\/[^"]+)"/g);
  const boards = await linked('/queues', /(?:href|src)="(static\/[^"]+)"/g);
  expect([assets.length > 2, boards.length > 2]).toEqual([true, true]);
  const files: Answer[] = [];
  for (const path of [...assets, ...boards]) files.push({ who: 'finance', path, ...(await get(path)) });

  const pages: Page[] = [];
  const pieces: Answer[] = [];
  const frames: Pick<Answer, 'who' | 'path' | 'text'>[] = [];
  const others: Pick<Answer, 'path' | 'status' | 'headers'>[] = [];
  const look = async (who: 'viewer' | 'finance', path: string) => {
    const [piece, frame] = await Promise.all([get(path, { ...as(who), 'x-fragment': '1' }), used.watch(path, as(who))]);
    pieces.push({ who, path, ...piece });
    frames.push({ who, path: `${path} as events`, text: frame ?? '' });
  };
  for (const path of addresses) {
    const before = audit.noted.length;
    const answer = await fetch(`${url}${path}`, { redirect: 'manual', headers: as('finance') });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (answer.headers.get('content-disposition')?.startsWith('attachment')) {
      await expect.poll(() => audit.noted.at(-1)?.came).toEqual({ bytes: bytes.byteLength, whole: true });
    }
    const noted = audit.noted.slice(before);
    const { status, headers } = answer;
    pages.push({ who: 'finance', path, status, headers, text: bytes.toString(), bytes: bytes.byteLength, noted });
    await Promise.all([
      look('viewer', path),
      look('finance', path),
      get(path, as('viewer')).then((page) => pieces.push({ who: 'viewer', path, ...page })),
      ...['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE'].map(async (method) => {
        const { status, headers } = await fetch(`${url}${path}`, { method, redirect: 'manual' });
        others.push({ path: `${method} ${path}`, status, headers });
      }),
    ]);
  }
  expect(JSON.stringify(audit.noted)).not.toMatch(/zqxjv/i);
  return { pages, pieces, frames, others, files };
}

let walked: ReturnType<typeof walk> | undefined;
const walkOnce = () => (walked ??= walk());

// Promise: viewers-see-masked
test(
  'no page, fragment, download, JSON or event shows a viewer personal data, and finance sees all of it',
  async () => {
    const { pages, pieces, frames } = await walkOnce();
    const read = [...pages, ...pieces];
    const shown = (whose: 'viewer' | 'finance') =>
      [...read, ...frames].filter(({ who, text }) => who === whose && MARK.test(text)).map(({ path }) => path);
    expect(shown('viewer')).toEqual([]);
    const finance = shown('finance');
    const held = '/portfolios/q4/held/text';
    expect(finance).toEqual(expect.arrayContaining(['/held', held, '/work', '/portfolios/q4/downloads/original']));
    expect(finance.some((path) => path.startsWith('/service-events/'))).toBe(true);
    expect(finance.filter((path) => path.startsWith('/approvals/'))).not.toEqual([]);
    expect(finance.filter((path) => path.includes('/rows/')).length).toBeGreaterThan(4);
    // These pages were shown to the viewer, and not refused.
    const seen = read.filter(({ who, status }) => who === 'viewer' && status === 200);
    const paths = seen.map(({ path }) => path);
    expect(paths.filter((path) => path.startsWith('/approvals/'))).not.toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(['/', '/portfolios/q4', '/held', '/nightly', '/work']));
    expect(paths.filter((path) => path.startsWith('/portfolios/q4/rows/')).length).toBeGreaterThan(4);
    // The reason of a rejected row is shown with the contact masked, and a note says so.
    const refused = seen.find(({ path, text }) => /\/rows\/[^/?]+$/.test(path) && text.includes('status 422'))?.text;
    expect(refused).toContain(`contact ${MASK} ${MASK} of ${MASK} is not known`);
    expect(refused).toContain('Buyer 2 GmbH');
    expect(refused).toContain('are shown as');
    expect(pages.find(({ path }) => path === '/')?.text).not.toContain('are shown as');
  },
  TIMEOUT_MS,
);

// Promise: nothing-kept-by-browsers
test(
  'no answer with data may be stored by a browser or proxy, and each page declares its type and policy',
  async () => {
    const { pages, pieces, others, files } = await walkOnce();
    const kept = [...pages, ...pieces, ...others].filter(
      ({ path, headers }) =>
        !SAME_FOR_ALL.test(path.replace(/^\w+ /, '')) && headers.get('cache-control') !== 'no-store',
    );
    expect(kept.map(({ status, path }) => `${status} ${path}`)).toEqual([]);
    const wrong = [...pages, ...pieces, ...files].flatMap(({ path, status, headers, text }) => {
      const fault = faultOf(headers, text);
      return fault === '' ? [] : [`${status} ${path}: ${fault}`];
    });
    expect(wrong).toEqual([]);
  },
  TIMEOUT_MS,
);

// Promise: downloads-audited
test(
  'each downloaded file is recorded with the person, its portfolio and the number of bytes sent',
  async () => {
    const { pages } = await walkOnce();
    const isFile = ({ headers }: Page) => headers.get('content-disposition')?.startsWith('attachment');
    for (const { path, noted } of pages.filter((page) => !isFile(page))) expect([path, noted]).toEqual([path, []]);
    const left = pages.filter(isFile);
    for (const { path, noted } of left) {
      expect(noted).toEqual([
        expect.objectContaining({
          by: 'a finance',
          from: '127.0.0.1',
          what: expect.stringMatching(/ (?:downloaded|exported)$/),
        }),
      ]);
      const [{ about, facts } = {}] = noted;
      expect([about, facts?.file], path).toEqual([
        /^\/(?:portfolios|new)\/([^/]+)/.exec(path)?.[1],
        expect.stringMatching(/\.(?:csv|xlsx|txt|ndjson|html)$/),
      ]);
    }
    expect(left.map(({ path }) => path.replace(/^\/new\/[^/]+/, '/new/ID'))).toEqual(
      expect.arrayContaining([
        '/portfolios/q4/downloads/results.csv',
        '/portfolios/q4/downloads/errors.csv',
        '/portfolios/q4/downloads/results.xlsx',
        '/portfolios/q4/downloads/original',
        '/portfolios/q4/downloads/original?import=1',
        '/nightly/reports/2026-11-22T01%3A30%3A00.000Z/items.csv',
        '/nightly/reports/2026-11-22T01%3A30%3A00.000Z/report.html',
        '/held/text',
        '/audit/export',
        '/portfolios/q4/held/text',
        '/new/ID/file',
      ]),
    );
  },
  TIMEOUT_MS,
);

/** Without one of the needed roles every file is refused. */
async function expectNoFiles({ get, addresses, audit }: Awaited<ReturnType<typeof openMarkedConsole>>) {
  const files = addresses.filter((path) =>
    /\/downloads\/|^\/new\/[^/]+\/file$|^\/nightly\/.*\/(?:items\.csv|report\.html)$/.test(path),
  );
  expect(files.length).toBeGreaterThan(4);
  for (const roles of ['viewer', 'admin', 'viewer,admin', '']) {
    for (const path of files) {
      const { status, headers } = await get(path, as(roles));
      expect([path, roles, status, headers.get('content-disposition')]).toEqual([path, roles, 403, null]);
    }
  }
  expect(audit.noted.filter(({ what }) => what.endsWith('downloaded'))).toEqual([]);
}
