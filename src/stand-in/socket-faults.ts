import type { ServerResponse } from 'node:http';
import type { StandInAnswer } from './answers.ts';
import type { FaultRule } from './fault-settings.ts';

type RuleOf<F extends FaultRule['fault']> = Extract<FaultRule, { fault: F }>;

/** Ends or keeps a request without an HTTP answer. The response must not have been started. */
export function giveNoAnswer(rule: RuleOf<'reset' | 'silence' | 'not-http'>, { socket }: ServerResponse): void {
  switch (rule.fault) {
    case 'silence':
      return;
    case 'not-http':
      socket?.end('This is no HTTP.\r\n\r\n');
      return;
    case 'reset':
      if (rule.by === 'fin') socket?.destroy();
      else socket?.resetAndDestroy();
  }
}

/** Sends correct headers, and a body that is slow, broken or incomplete. */
export function answerBadly(
  rule: RuleOf<'slow' | 'broken'>,
  { status, body }: StandInAnswer,
  response: ServerResponse,
): void {
  const whole = Buffer.from(JSON.stringify(body));
  const half = whole.subarray(0, whole.length >> 1);
  const begin = (sizeBytes: number) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': sizeBytes });
    response.flushHeaders();
  };
  if (rule.fault === 'slow') {
    begin(whole.length);
    if (rule.bytesPerS === 0) response.write(half);
    else dribble(response, whole, rule.bytesPerS);
  } else if (rule.body === 'cut') {
    begin(whole.length);
    response.write(half, () => response.socket?.destroy());
  } else {
    const sent = { 'not-json': Buffer.from('<html>Fine.</html>'), 'half-json': half, empty: Buffer.alloc(0) }[
      rule.body
    ];
    begin(sent.length);
    response.end(sent);
  }
}

/** Frequent enough that no pause reaches a client's timeout for silence. */
const DRIBBLE_EVERY_MS = 20;

function dribble(response: ServerResponse, body: Buffer, bytesPerS: number): void {
  const startedMs = performance.now();
  let sentBytes = 0;
  const timer = setInterval(() => {
    const elapsedS = (performance.now() - startedMs) / 1_000;
    const dueBytes = Math.min(body.length, Math.floor(elapsedS * bytesPerS));
    response.write(body.subarray(sentBytes, dueBytes));
    sentBytes = dueBytes;
    if (sentBytes === body.length) response.end();
  }, DRIBBLE_EVERY_MS);
  response.once('close', () => clearInterval(timer));
}
