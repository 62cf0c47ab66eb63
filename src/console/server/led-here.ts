import type { IncomingHttpHeaders } from 'node:http';
import type { ConsoleApp } from '../console-app.ts';
import { html } from '../html/html.ts';
import { linkButton } from '../parts/button.ts';
import { pageHead } from '../parts/page-head.ts';

/** Without buttons, and where links to the console lead as a rule. */
const OPEN = new Set(['/', '/keys']);

/** Where identity providers send browsers back to; what comes with it is held against what this browser was given. */
const CALLBACK = '/sign-in/oidc/callback';

/** Whether a page of another site sent the browser here; what a person typed, or opened from another program, is no site's. */
export function isLedByOthers(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return headers['sec-fetch-mode'] === 'navigate' && (site === 'cross-site' || site === 'same-site');
}

/**
 * Asks before it shows a page to which another site led. Such a site sees nothing of ours and cannot show it in a frame, but it
 * can bring a page with a yes on it under a mouse that is about to click a second time. Here the click meets a link.
 */
export function askWhoWasLed(app: ConsoleApp): void {
  app.addHook('onRequest', async (request, reply) => {
    const { headers, url = '/' } = request.raw;
    if (OPEN.has(url) || url.startsWith(`${CALLBACK}?`) || !isLedByOthers(headers)) return;
    return reply.pageNow({
      title: 'Another site led here',
      body: html`${pageHead({
        title: 'Another site led here',
        lead: html`A link on another site leads to <bdi>${url.slice(0, SHOWN)}</bdi>. Nothing was done. Go on if that is where you want to be.`,
      })}
      <p>${linkButton({ href: url, words: 'Go on' })}</p>`,
    });
  });
}

/** Enough to know an address by. */
const SHOWN = 200;
