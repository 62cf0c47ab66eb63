import { signIn } from './sign-in.js';
import { fillTokens, swapAll } from './swap.js';

/** How often a page asks by itself where events do not come. */
const ASK_EVERY_MS = 2_000;
/** A stream that was refused is asked for again after twice as long each time, up to this. */
const LONGEST_WAIT_MS = 30_000;

/**
 * Keeps the page fresh: by a stream of events, and where none comes by asking again. A browser opens six connections to one
 * host, so a page that nobody sees lets go of its stream, and gets everything at once when it is looked at again.
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
    // Shown by the style of the strip: what stands there may be old.
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
      // The browser comes again by itself, except after an answer that was no stream.
      if (source?.readyState === EventSource.CLOSED) setTimeout(() => document.hidden || start(), backoffMs(failures));
    };
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : start()));
  addEventListener('pagehide', stop);
  // Gone back to: the browser kept the page as it was.
  addEventListener('pageshow', (event) => event.persisted && start());
  fillTokens(document);
  if (!document.hidden) start();
}

function backoffMs(failures) {
  return Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** Math.min(failures, 5)) * (0.5 + Math.random() / 2);
}
