import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** The first frame of an event stream; undefined when the address has none. */
export async function firstFrame(
  url: string,
  path: string,
  headers: Record<string, string>,
): Promise<string | undefined> {
  const asked = get(`${url}${path}`, { headers: { ...headers, accept: 'text/event-stream' }, agent: false });
  asked.on('error', () => {});
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  if (answer.headers['content-type']?.startsWith('text/event-stream')) {
    for await (const piece of answer.setEncoding('utf8')) {
      text += piece;
      if (/event: frame\n.*\n\n/.test(text)) break;
    }
  }
  asked.destroy();
  return text === '' ? undefined : text;
}
