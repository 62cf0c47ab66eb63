import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { SMTPServerOptions } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import { makeMail } from '../../../src/notices/mail/mail.ts';
import { type MailServer, readSmtpUrl } from '../../../src/notices/mail/mail-settings.ts';
import { boundedNotice } from '../../../src/notices/outbox.ts';
import type { Message } from '../../../src/notices/way.ts';
import { refusal, startMailServer } from '../../support/mail-server.ts';
import { makeNotice } from '../../support/outbox.ts';
import { AUTHORITY_PATH, portOf } from '../../support/tls-service.ts';

const MESSAGE: Message = {
  ...boundedNotice(makeNotice()),
  id: 'id-1',
  account: 'a',
  link: 'https://limits.example/portfolios/q4?a=1&b=2',
};
const TO = ['ops@example.com', 'finance@example.com'];

/** Sends through the server at this address, as with these settings. */
function send(url: string, { to = TO, message = MESSAGE, tryMs = 20_000, ...changes }: SendOptions = {}) {
  const server = { ...(readSmtpUrl(url) as MailServer), ...changes };
  const mail = makeMail({ server, from: { name: 'Limitline', address: 'limits@example.com' }, to, tryMs });
  return mail.send(message, { signal: new AbortController().signal });
}

type SendOptions = { to?: string[]; message?: Message; tryMs?: number; requireTLS?: boolean };

/** Makes this process trust the test authority until the test ends. */
function trustAuthority(): void {
  const before = getCACertificates();
  setDefaultCACertificates([...before, readFileSync(AUTHORITY_PATH, 'utf8')]);
  onTestFinished(() => setDefaultCACertificates(before));
}

const checksLogin: SMTPServerOptions = {
  authOptional: false,
  onAuth: ({ username, password }, _session, callback) =>
    username === 'us@er' && password === 'pa:ss%' ? callback(null, { user: username }) : callback(refusal(535)),
};

// Promise: repeated-notice-same-id
test('a notice is sent as one mail to all addresses, in text and HTML, with a stable id and an Auto-Submitted header', async () => {
  const { port, taken } = await startMailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
  const url = `smtp://127.0.0.1:${port}`;
  expect(await send(url)).toEqual({ is: 'delivered', words: '' });
  expect(await send(url)).toEqual({ is: 'delivered', words: '' });
  const [first, second] = taken;
  expect(first).toMatchObject({ from: 'limits@example.com', to: TO });
  for (const { text } of [first, second].map((one) => one ?? { text: '' })) {
    expect(text).toMatch(/^Message-ID: <id-1@example\.com>\r$/m);
    expect(text).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(text).toMatch(/^From: Limitline <limits@example\.com>\r$/m);
    expect(text).toMatch(/^Subject: \[Limitline\] Portfolio q4 is settled\r$/m);
    expect(text).toMatch(/^Date: Sat, 22 Nov 2025 09:00:00 \+0000\r$/m);
    expect(text).toContain('Rows: 3 done, 1 refused');
    expect(text).toContain('https://limits.example/portfolios/q4?a=1&b=2');
    expect(text).toContain('text/html');
  }
});

// Promise: names-in-notices-are-text
test('a text in a notice neither adds a header nor becomes markup', async () => {
  const { port, taken } = await startMailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
  const hostile = 'a\r\nBcc: evil@example.com\r\n\r\n<img src=x onerror=y> ä \u{1F600}';
  const notice = makeNotice({ title: hostile, facts: [{ term: '<b>', what: '"><script>' }] });
  // One of the two messages has texts without bounds.
  for (const one of [notice, boundedNotice(notice)]) {
    await send(`smtp://127.0.0.1:${port}`, { message: { ...MESSAGE, ...one } });
  }
  for (const { text, to } of taken) {
    expect(to).toEqual(TO);
    const [head = ''] = text.split('\r\n\r\n');
    expect(head).not.toMatch(/^Bcc/m);
    expect(text.slice(text.indexOf('<!doctype html>'))).not.toMatch(/<img|<script|<b>/);
  }
  expect(taken).toHaveLength(2);
});

test('with a password the connection uses TLS, by STARTTLS or smtps, also with a private authority', async () => {
  trustAuthority();
  const plain = await startMailServer(checksLogin);
  expect(await send(`smtp://us%40er:pa:ss%25@localhost:${plain.port}`, { requireTLS: true })).toMatchObject({
    is: 'delivered',
  });
  const secure = await startMailServer({ ...checksLogin, secure: true });
  expect(await send(`smtps://us%40er:pa:ss%@localhost:${secure.port}`)).toMatchObject({ is: 'delivered' });
  for (const { taken } of [plain, secure]) expect(taken).toMatchObject([{ isSecure: true, user: 'us@er' }]);
});

// Promise: mail-password-by-tls-only
test('no password is sent to a server without TLS or with an unknown certificate', async () => {
  const asked: string[] = [];
  const onAuth: SMTPServerOptions['onAuth'] = ({ username }, _session, callback) => {
    asked.push(String(username));
    callback(null, { user: 'x' });
  };
  const bare = await startMailServer({ onAuth, disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
  const url = (port: number) => `smtp://user:s3cr3t@localhost:${port}`;
  const refused = await send(url(bare.port), { requireTLS: true });
  expect(refused).toMatchObject({
    is: 'failed',
    fault: 'way',
    words: expect.stringMatching(/TLS.*no password is sent/),
  });
  const unknown = await startMailServer({ onAuth });
  expect(await send(url(unknown.port))).toMatchObject({ words: expect.stringContaining('NODE_EXTRA_CA_CERTS') });
  expect(asked).toEqual([]);
});

test('a server without implicit TLS leads to an error that names the schemes smtp and smtps', async () => {
  const { port } = await startMailServer({ disabledCommands: ['STARTTLS'] });
  const words = expect.stringMatching(/wrong port, or smtp:\/\/ instead of smtps:\/\//);
  expect(await send(`smtps://localhost:${port}`)).toMatchObject({ is: 'failed', words });
});

test('a wrong password is a fault of the settings, and is not in its message', async () => {
  trustAuthority();
  const { port } = await startMailServer(checksLogin);
  expect(await send(`smtp://us%40er:wr0ng@localhost:${port}`)).toEqual({
    is: 'failed',
    fault: 'way',
    passes: false,
    words: 'localhost refused the user and password (535): see NOTIFY_SMTP_URL',
  });
});

/** Handlers that refuse one part of the conversation. */
const refuses = (code: number, only?: string) => ({
  onMailFrom: (_address: unknown, _session: unknown, callback: (error?: Error) => void) => callback(refusal(code)),
  onRcptTo: ({ address }: { address: string }, _session: unknown, callback: (error?: Error) => void) =>
    callback(only === undefined || only === address ? refusal(code) : undefined),
  onData: (stream: NodeJS.ReadableStream, _session: unknown, callback: (error?: Error) => void) => {
    stream.resume().once('end', () => callback(refusal(code)));
  },
});

// Promises: hanging-receiver-cut-off, refused-notice-keeps-no-other
test.each([
  ['the sender', 'onMailFrom', 550, { fault: 'way', passes: false, words: /NOTIFY_SMTP_FROM/ }],
  ['the sender for now', 'onMailFrom', 451, { fault: 'way', passes: true, words: /NOTIFY_SMTP_FROM/ }],
  ['all addresses', 'onRcptTo', 550, { fault: 'way', passes: false, words: /every address of NOTIFY_SMTP_TO \(550/ }],
  ['the mail', 'onData', 554, { fault: 'notice', passes: false, words: /refused this mail \(554/ }],
  ['the mail for now', 'onData', 452, { fault: 'way', passes: true, words: /did not take the mail \(452/ }],
] as const)(
  'a refusal of %s is a fault of the mail or of the whole channel, permanent or passing',
  async (_what, part, code, { words, ...meaning }) => {
    const options = { [part]: refuses(code)[part], disabledCommands: ['STARTTLS', 'AUTH'] };
    const { port } = await startMailServer(options as SMTPServerOptions);
    expect(await send(`smtp://127.0.0.1:${port}`)).toMatchObject({
      is: 'failed',
      ...meaning,
      words: expect.stringMatching(words),
    });
  },
);

test('a refused address does not keep the mail from the others, and is reported', async () => {
  const { onRcptTo } = refuses(550, TO[1]);
  const { port, taken } = await startMailServer({
    onRcptTo,
    disabledCommands: ['STARTTLS', 'AUTH'],
  } as SMTPServerOptions);
  const sent = await send(`smtp://127.0.0.1:${port}`);
  expect(sent).toMatchObject({ is: 'delivered', words: expect.stringMatching(/^address 2 of NOTIFY_SMTP_TO .*\(550/) });
  expect(taken).toMatchObject([{ to: [TO[0]] }]);
});

// Promise: hanging-receiver-cut-off
test('a server that hangs is cut off in every phase', async () => {
  const silent = createServer((socket) => socket.on('error', () => {}));
  expect(await send(`smtp://127.0.0.1:${await portOf(silent)}`, { tryMs: 300 })).toMatchObject({
    is: 'failed',
    fault: 'way',
    passes: true,
  });
  const onData: SMTPServerOptions['onData'] = (stream) => void stream.resume();
  const late = await startMailServer({ onData, disabledCommands: ['STARTTLS', 'AUTH'], closeTimeout: 100 });
  expect(await send(`smtp://127.0.0.1:${late.port}`, { tryMs: 1_000 })).toEqual({
    is: 'failed',
    fault: 'way',
    passes: true,
    words: '127.0.0.1 did not take the mail within 1 s',
  });
});

test('a connection that breaks in the middle, or a process that stops, makes the mail fail', async () => {
  const sockets: { destroy: () => void }[] = [];
  const cut = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).write('220 here\r\n');
    socket.on('data', (data) => {
      if (/^DATA\r\n/m.test(String(data))) socket.write('354 go\r\n', () => socket.destroy());
      else socket.write('250 ok\r\n');
    });
  });
  expect(await send(`smtp://127.0.0.1:${await portOf(cut)}`)).toMatchObject({
    is: 'failed',
    fault: 'way',
    passes: true,
  });
  const stop = new AbortController();
  const { port: other } = await startMailServer({
    onData: () => stop.abort(),
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
  });
  const server = readSmtpUrl(`smtp://127.0.0.1:${other}`) as MailServer;
  const mail = makeMail({ server, from: { name: '', address: 'a@example.com' }, to: TO });
  expect(await mail.send(MESSAGE, { signal: stop.signal })).toMatchObject({ is: 'failed', fault: 'ours' });
});

test('an address without a server is reported with ECONNREFUSED', async () => {
  expect((await send('smtp://user:s3cr3t@127.0.0.1:9')).words).toBe(
    '127.0.0.1 did not take the mail: nothing listens at that port (ECONNREFUSED)',
  );
});
