import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { AnswerHeaders } from '../answer-headers.ts';

/** The result of a request: a whole answer, or none, and then whether the request was sent. */
export type Reply =
  | { is: 'answer'; status: number; headers: AnswerHeaders; text: string }
  | { is: 'silence'; sent: boolean; error: Error; status?: number };

export type Post = {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | Readable;
  timeoutMs: number;
  /** The host name for checking the certificate, if it is not the host header's. */
  serverName?: string;
};

/** Most bytes of an answer that are read: far more than any documented resource has. */
const MAX_ANSWER_BYTES = 1_048_576;

/**
 * Sends one POST and waits for the whole answer. Never rejects.
 *
 * An error does not show whether the request was sent: the same codes occur before and after. undici calls
 * `onRequestStart` just before the first byte is written, so without that call nothing was sent. The timeout runs from
 * there to the answer's last byte; connecting has its own (outlet.ts).
 */
export function send(dispatcher: Dispatcher, { path, headers, body, timeoutMs, serverName }: Post): Promise<Reply> {
  return new Promise((resolve) => {
    let sent = false;
    let timer: NodeJS.Timeout | undefined;
    let status: number | undefined;
    let answerHeaders: AnswerHeaders = {};
    let sizeBytes = 0;
    const chunks: Buffer[] = [];
    const end = (reply: Reply) => {
      clearTimeout(timer);
      resolve(reply);
    };
    dispatcher.dispatch(
      {
        path,
        method: 'POST',
        headers,
        body,
        headersTimeout: 0,
        bodyTimeout: 0,
        ...(serverName === undefined ? {} : { servername: serverName }),
      },
      {
        onRequestStart(controller) {
          sent = true;
          timer = setTimeout(() => controller.abort(new Error(`no whole answer within ${timeoutMs} ms`)), timeoutMs);
        },
        onResponseStart(_controller, statusCode, received) {
          status = statusCode;
          answerHeaders = received;
        },
        onResponseData(controller, chunk) {
          sizeBytes += chunk.length;
          if (sizeBytes > MAX_ANSWER_BYTES)
            controller.abort(new Error(`an answer of more than ${MAX_ANSWER_BYTES} bytes`));
          else chunks.push(chunk);
        },
        onResponseEnd() {
          const text = (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString('utf8') ?? '';
          end({ is: 'answer', status: status ?? 0, headers: answerHeaders, text });
        },
        onResponseError(_controller, error) {
          end({ is: 'silence', sent, error, ...(status === undefined ? {} : { status }) });
        },
      },
    );
  });
}
