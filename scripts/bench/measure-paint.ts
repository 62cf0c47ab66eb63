import { chromium } from 'playwright-core';
import { numberText } from './figures.ts';
import { markdownTable } from './markdown-table.ts';

const ROUNDS = 15;

/** What a browser does with pages: what comes over the line, with styles and script, and when something is first seen. */
export async function measurePaint(url: string, paths: readonly string[], executablePath: string): Promise<string> {
  const browser = await chromium.launch({ executablePath });
  try {
    const lines: string[][] = [];
    for (const path of paths) {
      const times: number[] = [];
      let bytes = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        // Each in a context of its own: nothing is in its cache.
        const context = await browser.newContext();
        const page = await context.newPage();
        const sizes: Promise<number>[] = [];
        page.on('requestfinished', (request) => {
          if (!request.url().endsWith('/events'))
            // One that ends with the page has no size, and belongs to none of the pieces that it needs.
            sizes.push(
              request
                .sizes()
                .then(({ responseBodySize }) => responseBodySize)
                .catch(() => 0),
            );
        });
        await page.goto(`${url}${path}`, { waitUntil: 'load' });
        times.push(
          await page.evaluate<number>(`new Promise((resolve) => new PerformanceObserver((list) => {
            const paint = list.getEntries().find(({ name }) => name === 'first-contentful-paint');
            if (paint) resolve(paint.startTime);
          }).observe({ type: 'paint', buffered: true }))`),
        );
        bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
        await context.close();
      }
      times.sort((one, other) => one - other);
      lines.push([
        path,
        numberText(times[ROUNDS >> 1] ?? 0),
        numberText(times.at(-1) ?? 0),
        numberText(bytes / 1_000, 1),
      ]);
    }
    return markdownTable(['Page, nothing cached', 'first paint, median ms', 'worst ms', 'kB in all'], lines);
  } finally {
    await browser.close();
  }
}
