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

/**
 * A listener on its own port, which keeps events in an array unless the test stores them otherwise; closed when the
 * test ends.
 */
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
    // The listener does not wait for connections that a test left open.
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
    /** Sends bytes on a new connection, and returns the status line and the body of the first answer. */
    async ask(bytes: string | Buffer): Promise<string> {
      const client = await connectTo(port);
      client.write(bytes);
      await client.answers(1);
      client.end();
      return client.text().replace(/\r\n.*\r\n\r\n/s, ' ');
    },
  };
}

/** The length of `HTTP/1.1 200`. */
const LINE_LENGTH = 12;

/** A connection on which the test writes raw bytes. */
export async function connectTo(port: number) {
  const socket = connect({ port, host: '127.0.0.1' });
  let text = '';
  const statuses: string[] = [];
  // A status line may arrive in two pieces.
  let [readTo, foundTo] = [0, 0];
  let isClosed = false;
  let wake = (): void => {};
  // Whether the end is clean or a reset depends on the system.
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
  /** Resolves when something happens on the connection. */
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
    /** Writes one piece repeatedly, as fast as it is accepted, until so many bytes are sent or the connection ends. */
    async flood(piece: Buffer, bytes: number): Promise<void> {
      for (let sent = 0; sent < bytes && !isClosed; sent += piece.length) {
        socket.write(piece);
        while (socket.writableNeedDrain && !isClosed) await change();
      }
    },
    /** Resolves when so many answers have begun, or when no more can come. */
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
