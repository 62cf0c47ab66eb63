import { signIn } from './sign-in.js';
import { fillTokens, swapAll } from './swap.js';

/** How often the page polls while event streams do not work. */
const ASK_EVERY_MS = 2_000;
/** The longest delay before a refused stream is opened again; each refusal doubles the delay up to this. */
const LONGEST_WAIT_MS = 30_000;

/**
 * Refreshes the page by an event stream, or by polling where streams fail. A browser opens six connections to a host, so a
 * hidden page closes its stream, and reopens it when it is shown.
 */
export function keepFresh(address) {
  let source;
  let asking;
  let failures = 0;

  const heard = (fragments) => {
    failures = 0;
    document.body.removeAttribute('data-unheard');
    swapAll(fragments);
  };
  const ask = async () => {
    try {
      const response = await fetch(address, { headers: { accept: 'application/json' } });
      if (response.status === 401) signIn();
      else if (response.ok) heard((await response.json()).fragments);
      else unheard();
    } catch {
      unheard();
    }
  };
  const unheard = () => {
    failures += 1;
    // With this attribute, the strip (the line at the top of the page) says that the data of the page may be old.
    if (failures > 1) document.body.setAttribute('data-unheard', '');
  };
  const askMeanwhile = () => {
    asking ??= setInterval(ask, ASK_EVERY_MS);
  };
  const stop = () => {
    source?.close();
    source = undefined;
    clearInterval(asking);
    asking = undefined;
  };
  const start = () => {
    stop();
    if (typeof EventSource === 'undefined') {
      askMeanwhile();
      return;
    }
    source = new EventSource(address);
    source.addEventListener('frame', (event) => {
      clearInterval(asking);
      asking = undefined;
      heard(JSON.parse(event.data));
    });
    source.addEventListener('signed-out', signIn);
    source.onerror = () => {
      unheard();
      askMeanwhile();
      // The browser reconnects by itself, except after an answer that was no stream.
      if (source?.readyState === EventSource.CLOSED) setTimeout(() => document.hidden || start(), backoffMs(failures));
    };
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : start()));
  addEventListener('pagehide', stop);
  // A page that the browser restored from its back/forward cache has no stream any more.
  addEventListener('pageshow', (event) => event.persisted && start());
  fillTokens(document);
  if (!document.hidden) start();
}

function backoffMs(failures) {
  return Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** Math.min(failures, 5)) * (0.5 + Math.random() / 2);
}
