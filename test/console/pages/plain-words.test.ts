import { expect, test } from 'vitest';
import { ACCESS } from '../../../src/console/pages/index.ts';
import { visibleText } from '../../golden/text.ts';
import { openMarkedConsole } from '../../support/marked-console.ts';

/** The test reads every page of a used console. */
const TIMEOUT_MS = 120_000;

/** The markup that the switch hides: a command or a setting with the words before it. */
const BEHIND_THE_SWITCH = /<span class="terminal">(?:[^<]*<span class="command">.*?<\/button><\/span>)?[^<]*<\/span>/gs;

// Promise: no-commands-for-finance
test(
  'no page shows finance an environment setting or a terminal command, and operators see them',
  async () => {
    const { get, addresses } = await openMarkedConsole({ table: ACCESS });
    const found: string[] = [];
    let pages = 0;
    for (const path of addresses) {
      const { text, headers } = await get(path, { 'x-test-roles': 'finance' });
      if (!headers.get('content-type')?.startsWith('text/html')) continue;
      pages += 1;
      expect(text).not.toMatch(/id="show-commands"[^>]* checked/);
      // The frame around a page is checked, too.
      const shown = visibleText(text.replace(BEHIND_THE_SWITCH, '').replace(/<(\/?)main\b/g, '<$1div'));
      const lines = shown
        .split('\n')
        // Digests and ids contain such letters by chance, beside other characters.
        .filter((line) => /(?<![\w-])[A-Z]{3,}_[A-Z_]+(?![\w-])|^limitline |\b(npx|limitline) [a-z]/.test(line));
      found.push(...lines.map((line) => `${path}: ${line}`));
    }
    expect(found).toEqual([]);
    expect(pages).toBeGreaterThan(30);
    const { text } = await get('/nightly/automation', { 'x-test-roles': 'operator' });
    expect(text).toMatch(/id="show-commands"[^>]* checked/);
    expect(text).toContain('npx limitline nightly --wait');
  },
  TIMEOUT_MS,
);
