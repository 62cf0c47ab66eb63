import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** All of WCAG 2.2 up to AA, and what axe itself holds to be good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** More than any page has; a page in which Tab never comes round is at fault. */
const MOST_STOPS = 400;

type AxeResult = { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] };

/**
 * Fails on whatever axe-core finds wrong with a page as it stands. It is put in from outside the page, past its content
 * policy, which stays in force for all else.
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

/** Fails where a page is wider than its window: nobody scrolls sideways, at 320 px either. */
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
 * Fails where something in a page that can be used is not reached by Tab, in whichever order, or does not show that it has
 * the focus.
 */
export async function expectKeyboardReach(page: Page): Promise<void> {
  const wanted = await page.evaluate<string[]>(`(() => {
    const usable = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [contenteditable=true]';
    const seen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: false });
    // Of radio buttons of one name Tab stops at one; the arrows go on from there.
    const isOther = (element) => element.type === 'radio' && element.name !== '' && !element.checked;
    const all = [...document.querySelectorAll(usable)].filter((one) => seen(one) && !one.disabled && !isOther(one));
    all.forEach((element, place) => element.setAttribute('data-test-stop', place));
    document.activeElement?.blur?.();
    return all.map((one) => (one.tagName + ' ' + (one.getAttribute('aria-label') ?? one.textContent ?? '')).trim().slice(0, 80));
  })()`);
  const reached = new Set<number>();
  const unseen: string[] = [];
  // A page that was opened at a part of it begins there, and comes to what stands before it after its end.
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

/** What has the focus, by its number, and whether one can see that; null where Tab has come round. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const shows = (style) => (style.outlineStyle !== 'none' && style.outlineWidth !== '0px') || style.boxShadow !== 'none';
  const all = [element, element.closest('label'), element.nextElementSibling].filter(Boolean);
  return { place: Number(element.getAttribute('data-test-stop') ?? -1), shows: all.some((one) => shows(getComputedStyle(one))) };
})()`;

/** Presses Tab until this has the focus: how somebody without a mouse gets there. */
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
