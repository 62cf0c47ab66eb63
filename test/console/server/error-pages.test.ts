import { expect, test } from 'vitest';
import { openConsole, openDesk } from '../../support/desk.ts';

test('a form with a file that is cut off, or is no such form, is called unreadable', async () => {
  const desk = await openDesk(1);
  await desk.limitline('import', 'q4.csv', '--yes');
  const { open, credentials } = await openConsole(desk);
  const { token, origin } = await credentials();
  const address = `/portfolios/q4/decisions?_csrf=${encodeURIComponent(token)}`;
  const status = async (type: string, body: string) => {
    const headers = { origin, 'sec-fetch-site': 'same-origin', 'content-type': type };
    return (await open(address, { method: 'POST', headers, body })).status;
  };
  const cut = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nid';
  expect(await status('multipart/form-data; boundary=x', cut)).toBe(400);
  expect(await status('multipart/form-data', cut)).toBe(400);
});
