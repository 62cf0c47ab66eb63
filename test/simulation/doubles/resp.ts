import type { Socket } from 'node:net';
import { turnOfTheLoop } from '../run/virtual-globals.ts';

/** Commands are sent once no more have come for so many turns: fewer and longer writes are cheaper. */
const SILENT = 6;

/** A command: its name and its arguments. */
export type Words = readonly [name: string, ...args: (string | number | Buffer)[]];
export type Reply = Buffer | string | number | null | Error | Reply[];

/**
 * Speaks the protocol of Redis (RESP 2) over a socket. Commands are collected until all callers wait, and leave in one
 * write; replies are matched by order. A run needs no more, and it costs a quarter of a complete client.
 */
export function makeResp(socket: Socket) {
  let waiting: { count: number; replies: Reply[]; resolve: (replies: Reply[]) => void }[] = [];
  let answered = 0;
  let parts: Buffer[] = [];
  let text = '';
  /** Whether a write is scheduled, or a sent command is not answered. */
  let isUnderWay = false;
  /** The number of callers whose commands have not been sent. */
  let unsaid = 0;
  let rest: Buffer = Buffer.alloc(0);

  const leave = (): void => {
    unsaid = 0;
    if (text !== '') parts.push(Buffer.from(text));
    socket.write(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts));
    [text, parts] = ['', []];
  };

  const leaveSoon = async (): Promise<void> => {
    isUnderWay = true;
    for (let [silent, seen] = [0, unsaid]; silent < SILENT; silent += 1) {
      await turnOfTheLoop();
      if (unsaid > seen) silent = 0;
      seen = unsaid;
    }
    leave();
  };

  socket.on('data', (bytes: Buffer) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const read = makeReader(rest);
    for (let at = 0; ; at = read.at()) {
      const reply = read.reply();
      if (reply === MORE) {
        rest = rest.subarray(at);
        break;
      }
      const asked = waiting[answered];
      asked?.replies.push(reply);
      if (asked?.replies.length !== asked?.count) continue;
      asked?.resolve(asked.replies);
      answered += 1;
    }
    if (waiting.length - answered > unsaid) return;
    waiting = waiting.slice(answered);
    answered = 0;
    isUnderWay = unsaid > 0;
    if (isUnderWay) void leaveSoon();
  });

  const write = (words: Words): void => {
    text += `*${words.length}\r\n`;
    for (const word of words) {
      if (typeof word === 'object') {
        parts.push(Buffer.from(`${text}$${word.length}\r\n`), word);
        text = '\r\n';
        continue;
      }
      const told = String(word);
      text += `$${Buffer.byteLength(told)}\r\n${told}\r\n`;
    }
  };

  /** Sends these commands, and returns the reply of each. An error of Redis is a reply like others. */
  return (commands: readonly Words[]): Promise<Reply[]> => {
    const count = commands.length;
    if (count === 0) return Promise.resolve([]);
    for (const words of commands) write(words);
    unsaid += 1;
    if (!isUnderWay) void leaveSoon();
    return new Promise((resolve) => waiting.push({ count, replies: [], resolve }));
  };
}

/** The received bytes are no complete reply. */
const MORE = Symbol('more');

const [CR, MINUS, ZERO] = [13, 45, 48];

function makeReader(bytes: Buffer) {
  let at = 0;
  /** The end of the line that begins here; behind all received bytes if it has not arrived. */
  const lineEnd = (): number => {
    const end = bytes.indexOf(CR, at);
    return end < 0 ? bytes.length : end;
  };
  const line = (end: number): string => {
    const read = bytes.toString('latin1', at + 1, end);
    at = end + 2;
    return read;
  };
  const number = (end: number): number => {
    const isBelowZero = bytes[at + 1] === MINUS;
    let read = 0;
    for (let place = at + (isBelowZero ? 2 : 1); place < end; place += 1) read = read * 10 + (bytes[place] ?? 0) - ZERO;
    at = end + 2;
    return isBelowZero ? -read : read;
  };
  const reply = (): Reply | typeof MORE => {
    const end = lineEnd();
    if (end + 1 >= bytes.length) return MORE;
    switch (String.fromCharCode(bytes[at] ?? 0)) {
      case '+':
        return Buffer.from(line(end));
      case '-':
        return new Error(line(end));
      case ':':
        return number(end);
      case '$': {
        const size = number(end);
        if (size < 0) return null;
        if (at + size + 2 > bytes.length) return MORE;
        const read = bytes.subarray(at, at + size);
        at += size + 2;
        return read;
      }
      default: {
        const count = number(end);
        if (count < 0) return null;
        const read: Reply[] = [];
        for (let place = 0; place < count; place += 1) {
          const one = reply();
          if (one === MORE) return MORE;
          read.push(one);
        }
        return read;
      }
    }
  };
  return { at: () => at, reply };
}
