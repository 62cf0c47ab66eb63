import { type Html, html } from '../html/html.ts';

/** The command that does the same as the button beside it, to be copied: `npx limitline retry q4`. */
export function commandLine(text: string): Html {
  return html`<span class="command"><code data-copied>${text}</code><button type="button" class="copy" data-copy aria-label="Copy the command">Copy</button></span>`;
}

/**
 * A word of a command line as a POSIX shell reads it: in quotation marks where it needs them, so that a name with spaces or a
 * `$` in it can be pasted and means itself. What a terminal would take for a key, such as Ctrl-C, stands there by its number,
 * as bash and zsh read it: pasted as it is, it could end the line in the middle, and what follows would be a command.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!KEYS.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${word.replace(/[\\']/g, '\\$&').replace(ALL_KEYS, byNumber)}'`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const KEYS = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/;
const ALL_KEYS = new RegExp(KEYS, 'g');

function byNumber(key: string): string {
  return `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
