import { expect, test } from 'vitest';
import { MASK } from '../../../src/console/privacy/mask.ts';
import { MARK } from '../../support/key-contents.ts';
import { openMarkedConsole } from '../../support/marked-console.ts';

/** Two people read every page of a used console, some of them with a search through a file. */
const TIMEOUT_MS = 300_000;

const as = (roles: string) => ({ 'x-test-roles': roles });

// Promise: viewers-see-masked
test(
  'no page, fragment, download, JSON or event shows a viewer personal data, and finance sees all of it',
  async () => {
    const used = await openMarkedConsole();
    await expectNoFiles(used);
    const seen: string[] = [];
    let refused = '';
    const shown = { viewer: [] as string[], finance: [] as string[] };
    const note = (who: 'viewer' | 'finance', path: string, text: string) => {
      if (MARK.test(text)) shown[who].push(path);
    };
    const look = async (who: 'viewer' | 'finance', path: string) => {
      const [page, piece, frame] = await Promise.all([
        used.get(path, as(who)),
        used.get(path, { ...as(who), 'x-fragment': '1' }),
        used.watch(path, as(who)),
      ]);
      note(who, path, page.text);
      note(who, path, piece.text);
      note(who, `${path} as events`, frame ?? '');
      if (page.status === 200) seen.push(`${who} ${path}`);
      if (who === 'viewer' && /\/rows\/[^/?]+$/.test(path) && page.text.includes('status 422')) refused = page.text;
    };
    for (const path of used.addresses) await Promise.all([look('viewer', path), look('finance', path)]);
    expect(shown.viewer).toEqual([]);
    const held = '/portfolios/q4/held/text';
    expect(shown.finance).toEqual(
      expect.arrayContaining(['/held', held, '/work', '/portfolios/q4/downloads/original']),
    );
    expect(shown.finance.some((path) => path.startsWith('/service-events/'))).toBe(true);
    expect(shown.finance.filter((path) => path.startsWith('/approvals/'))).not.toEqual([]);
    expect(seen.filter((one) => one.startsWith('viewer /approvals/'))).not.toEqual([]);
    expect(shown.finance.filter((path) => path.includes('/rows/')).length).toBeGreaterThan(4);
    // These pages were shown to the viewer, and not refused.
    expect(seen).toEqual(
      expect.arrayContaining(['viewer /', 'viewer /portfolios/q4', 'viewer /held', 'viewer /nightly', 'viewer /work']),
    );
    expect(seen.filter((one) => one.startsWith('viewer /portfolios/q4/rows/')).length).toBeGreaterThan(4);
    // The reason of a rejected row is shown with the contact masked, and a note says so.
    expect(refused).toContain(`contact ${MASK} ${MASK} of ${MASK} is not known`);
    expect(refused).toContain('Buyer 2 GmbH');
    expect(refused).toContain('are shown as');
    expect((await used.get('/', as('finance'))).text).not.toContain('are shown as');
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
