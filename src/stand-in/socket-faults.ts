import type { ServerResponse } from 'node:http';
import type { StandInAnswer } from './answers.ts';
import type { FaultRule } from './fault-settings.ts';

type RuleOf<F extends FaultRule['fault']> = Extract<FaultRule, { fault: F }>;

/** Leaves a request without an answer in HTTP. The response must not have been begun. */
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

/** Sends the head of an answer as it should be, and a body that arrives too slowly, or broken, or never. */
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

/** Goes on so often that no pause is as long as a client's limit for silence. */
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
