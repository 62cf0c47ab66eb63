import type { BrowserContext, Page } from 'playwright-core';

/** Where the script in a page tells of what its content policy forbade. */
const TELL = 'limitlineTellsOfViolation';

/** Ends what a page had under way when it was left or let go: its streams, above all. */
const ENDED_BY_US = 'net::ERR_ABORTED';

/**
 * Notes whatever goes wrong in the pages of a context: errors of script, errors on its console, what the content policy
 * forbade, requests that failed, and any request that would have left this machine.
 *
 * @param onFault is told of each, as one line
 */
export async function watchForFaults(context: BrowserContext, onFault: (fault: string) => void): Promise<void> {
  await context.exposeBinding(TELL, (_source, what: string) => onFault(`forbidden by the content policy: ${what}`));
  await context.addInitScript(`document.addEventListener('securitypolicyviolation', (event) => {
    ${TELL}(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample + ' at ' + document.URL);
  })`);
  context.on('request', (request) => {
    if (!isHere(request.url())) onFault(`asked elsewhere: ${request.method()} ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    if (why !== ENDED_BY_US) onFault(`request failed: ${request.method()} ${request.url()} ${why}`);
  });
  context.on('weberror', (error) => onFault(`script failed: ${error.error().stack ?? error.error().message}`));
  context.on('console', (message) => {
    if (message.type() === 'error') onFault(`console: ${message.text()} at ${message.location().url}`);
  });
  const onPage = (page: Page) => {
    page.on('crash', () => onFault(`page crashed: ${page.url()}`));
    // Nothing here asks by such a window, and script from a cell or a file name is tried with one.
    page.on('dialog', (dialog) => {
      onFault(`a window of the browser's own: ${dialog.type()} ${dialog.message()}`);
      void dialog.dismiss();
    });
  };
  context.on('page', onPage);
}

function isHere(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return ['data:', 'blob:', 'about:'].includes(protocol) || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
