import { StringDecoder } from 'node:string_decoder';

/** Characters. Longer than any allowed password. */
const LONGEST = 1_000;

const [CTRL_C, CTRL_D, BACKSPACE, DELETE, CTRL_U] = ['\u0003', '\u0004', '\b', '\u007f', '\u0015'];

/**
 * Asks for a secret on standard error, without showing what is typed. Answers nothing on Ctrl-C, Ctrl-D or the end of input.
 * Only where `canAsk()`. Always restores the terminal.
 */
export function askSecret(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  stderr.write(question);
  const wasRaw = stdin.isRaw;
  const decoder = new StringDecoder('utf8');
  return new Promise((resolve) => {
    let typed: string[] = [];
    const end = (answer: string | undefined): void => {
      stdin.off('data', hear);
      stdin.off('end', giveUp);
      stdin.setRawMode(wasRaw);
      stdin.pause();
      stdin.unref();
      stderr.write('\n');
      resolve(answer);
    };
    const giveUp = (): void => end(undefined);
    const hear = (bytes: Buffer): void => {
      const signs = [...decoder.write(bytes)];
      for (const [place, sign] of signs.entries()) {
        if (sign === CTRL_C || sign === CTRL_D) {
          giveUp();
          return;
        }
        if (sign === '\r' || sign === '\n') {
          end(typed.join(''));
          // The rest of pasted lines answers the next question.
          const rest = signs.slice(place + 1).join('');
          if (rest !== '') stdin.unshift(Buffer.from(rest));
          return;
        }
        if (sign === BACKSPACE || sign === DELETE) typed.pop();
        else if (sign === CTRL_U) typed = [];
        else if (typed.length < LONGEST) typed.push(sign);
      }
    };
    stdin.setRawMode(true);
    stdin.ref();
    stdin.on('data', hear);
    stdin.once('end', giveUp);
    stdin.resume();
  });
}
