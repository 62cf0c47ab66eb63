import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of WCAG 2.2 up to AA, and the best practices of axe. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** More stops than any page has. With more, Tab never returns to the start. */
const MOST_STOPS = 400;

type AxeResult = { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] };

/**
 * Fails on each violation that axe-core finds in the current page. axe-core is injected in a way that leaves the
 * content policy in force for the page itself.
 */
export async function expectNoViolations(page: Page): Promise<void> {
  await page.evaluate(`if (!window.axe) { ${AXE} }`);
  const options = { resultTypes: ['violations'], runOnly: { type: 'tag', values: RULES } };
  const found = await page.evaluate<AxeResult[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  const said = found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary}`),
  );
  failOn(said, `axe-core says of ${page.url()}`);
}

/** Fails when a page is wider than its window, which may be as narrow as 320 px. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const wide = await page.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    if (document.scrollingElement.scrollWidth <= width) return [];
    return ['the page is ' + document.scrollingElement.scrollWidth + ' px wide', ...[...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .slice(0, 10)
      .map((element) => element.tagName + '.' + element.getAttribute('class') + ' #' + element.id)];
  })()`);
  failOn(wide, `wider than the window at ${page.url()}`);
}

/**
 * Fails when Tab does not reach a usable element, in any order, or when the element does not show that it has the
 * focus.
 */
export async function expectKeyboardReach(page: Page): Promise<void> {
  const wanted = await page.evaluate<string[]>(`(() => {
    const usable = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable=true]';
    const seen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: false });
    // Tab stops at one radio button of each name; the arrow keys reach the others.
    const isOther = (element) => element.type === 'radio' && element.name !== '' && !element.checked;
    const all = [...document.querySelectorAll(usable)].filter((one) => seen(one) && !one.disabled && !isOther(one));
    all.forEach((element, place) => element.setAttribute('data-test-stop', place));
    document.activeElement?.blur?.();
    return all.map((one) => (one.tagName + ' ' + (one.getAttribute('aria-label') ?? one.textContent ?? '')).trim().slice(0, 80));
  })()`);
  const reached = new Set<number>();
  const unseen: string[] = [];
  // A page that was opened at an anchor begins there, so Tab passes its end once before it reaches the elements above.
  let ends = 0;
  for (let stops = 0; stops < MOST_STOPS && ends < 2; stops += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate<{ place: number; shows: boolean } | null>(FOCUSED);
    if (stop === null) ends += 1;
    if (stop === null) continue;
    if (stop.place >= 0 && reached.has(stop.place)) break;
    if (stop.place < 0) continue;
    reached.add(stop.place);
    if (!stop.shows) unseen.push(wanted[stop.place] ?? '');
  }
  const missed = wanted.filter((_name, place) => !reached.has(place));
  failOn(missed, `Tab does not reach, at ${page.url()}`);
  failOn(unseen, `does not show that it has the focus, at ${page.url()}`);
}

/** The number of the focused element and whether its focus is visible; null when Tab has returned to the start. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const shows = (style) => (style.outlineStyle !== 'none' && style.outlineWidth !== '0px') || style.boxShadow !== 'none';
  const all = [element, element.closest('label'), element.nextElementSibling].filter(Boolean);
  return { place: Number(element.getAttribute('data-test-stop') ?? -1), shows: all.some((one) => shows(getComputedStyle(one))) };
})()`;

/** Presses Tab until the target has the focus, as a person without a mouse does. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((element: unknown) => element === Reflect.get(globalThis, 'document').activeElement))
      return;
  }
  throw new Error(`Tab does not reach ${target}.`);
}

function failOn(found: readonly string[], what: string): void {
  if (found.length > 0) throw new Error(`${what}:\n${found.join('\n')}`);
}
