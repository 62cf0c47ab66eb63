import { once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ArrivedEvent, EventEnd, KeepEvent } from '../../src/events/arrived-event.ts';
import type { ListenerLimits } from '../../src/events/guard-connections.ts';
import { makeEventListener } from '../../src/events/make-listener.ts';
import { makeKeptLog } from './workplace.ts';

export const SECRET = 'a-secret-that-nobody-guesses_0123456789';
export const PATH = `/events/${SECRET}`;

type Wish = { keep?: KeepEvent; maxBytes?: number; perSecond?: number; limits?: Partial<ListenerLimits> };

/** A listener on a port of its own, which keeps events in an array unless the test has another way; closed when the test ends. */
export async function startListener({ maxBytes = 1_024, perSecond = 100_000, limits = {}, ...wish }: Wish = {}) {
  const kept: ArrivedEvent[] = [];
  const ends: EventEnd[] = [];
  const { log, lines } = makeKeptLog();
  const keepHere: KeepEvent = async (event) => {
    kept.push(event);
    return 'kept';
  };
  const listener = makeEventListener({
    host: '127.0.0.1',
    port: 0,
    secret: SECRET,
    maxBytes,
    perSecond,
    keep: wish.keep ?? keepHere,
    log,
    onEnd: (end) => ends.push(end),
    // What a test has not closed is not waited for.
    limits: { closeMs: 100, ...limits },
  });
  await listener.listen();
  onTestFinished(() => listener.close());
  const port = Number(new URL(listener.url()).port);
  return {
    listener,
    port,
    kept,
    ends,
    lines,
    connect: () => connectTo(port),
    /** Sends bytes on a connection of their own, and answers the first answer's status line and body. */
    async ask(bytes: string | Buffer): Promise<string> {
      const client = await connectTo(port);
      client.write(bytes);
      await client.answers(1);
      client.end();
      return client.text().replace(/\r\n.*\r\n\r\n/s, ' ');
    },
  };
}

/** `HTTP/1.1 200 ` has one character more. */
const LINE_LENGTH = 12;

/** A connection whose bytes the test writes itself. */
export async function connectTo(port: number) {
  const socket = connect({ port, host: '127.0.0.1' });
  let text = '';
  const statuses: string[] = [];
  // A first line may come in two pieces.
  let [readTo, foundTo] = [0, 0];
  let isClosed = false;
  let wake = (): void => {};
  // Whether an end is clean or a reset is the system's matter.
  socket.on('error', () => {});
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
    for (const { 0: line, 1: status = '', index } of text.slice(readTo).matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      statuses.push(status);
      foundTo = readTo + index + line.length;
    }
    readTo = Math.max(foundTo, text.length - LINE_LENGTH);
    wake();
  });
  socket.on('drain', () => wake());
  socket.once('close', () => {
    isClosed = true;
    wake();
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  /** Until something happens on it. */
  const change = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    return promise;
  };
  return {
    text: () => text,
    write: (bytes: string | Buffer) => socket.write(bytes),
    end: () => socket.destroy(),
    async closed(): Promise<void> {
      while (!isClosed) await change();
    },
    /** Writes one piece again and again, as fast as they are taken, until so many bytes are sent or the connection ends. */
    async flood(piece: Buffer, bytes: number): Promise<void> {
      for (let sent = 0; sent < bytes && !isClosed; sent += piece.length) {
        socket.write(piece);
        while (socket.writableNeedDrain && !isClosed) await change();
      }
    },
    /** Resolves when so many answers have begun, or no more can come. */
    async answers(count: number): Promise<string[]> {
      while (statuses.length < count && !isClosed) await change();
      return [...statuses];
    },
  };
}

/** The bytes of an event. */
export function posted(body: string | Buffer, headers: readonly string[] = [], path = PATH): Buffer {
  const lines = [`POST ${path} HTTP/1.1`, 'Host: x', ...headers, `Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}
