import { AsyncLocalStorage } from 'node:async_hooks';

const pressing = new AsyncLocalStorage<string>();

/** Whatever this does is done by this person: the board's own functions are not told whose request they answer. */
export function pressedBy(by: string, act: () => void): void {
  pressing.run(by, act);
}

/** Who presses. @throws TypeError outside of a request of the board: nothing is sent for nobody */
export function whoPresses(): string {
  const by = pressing.getStore();
  if (by === undefined) throw new TypeError('It is not known who asks the board to send a row again.');
  return by;
}
