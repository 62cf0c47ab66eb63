import { readBuild } from '../../src/version.ts';

/** Figures of this process and of this machine. */
const OF_THIS_PROCESS = /^(?:# \w+ )?(?:process|nodejs|limitline_build|limitline_data)_.*\n/gm;
const OF_THIS_MACHINE = /^(Free on its disk|Holds|Limitline|Node|System)\n.*/gm;

/** Replaces what differs between runs and machines: folders, seconds of times, audit links, versions, archive sizes. */
export function masked(text: string, dir: string): string {
  return text
    .replaceAll(dir, '<dir>')
    .replace(/(\d{4}-\d\d-\d\dT\d\d:\d\d):\d\d(\.\d+)?Z/g, '$1Z')
    .replace(/(\d\d:\d\d):\d\d(?:\.\d+)? UTC/g, '$1 UTC')
    .replace(/\b1767\d{9}\b/g, (ms) => `<${new Date(Number(ms)).toISOString().slice(5, 16)}>`)
    .replace(/"(prev|link)": "[\w-]{43}"/g, '"$1": <of the audit>')
    .replace(/(_seconds\{.*\} \d+)\.\d+/g, '$1')
    .replace(/("sizeBytes": ?)\d+(?=,\s*"rows")/g, '$1<size>')
    .replaceAll(readBuild(), '<version>')
    .replace(/(files of |^)\d+ kB/gm, '$1<size>')
    .replace(OF_THIS_PROCESS, '')
    .replace(OF_THIS_MACHINE, '$1\n<of this machine>');
}

/** Parts of pages that keep their notation: numbers that scripts rewrite, words of files and people, commands. */
const AS_IT_IS = /<(data|time|code|pre|bdi|textarea|option|script|style|svg)\b.*?<\/\1>/gs;

/** The lines of a page with a number in English notation that no script would rewrite: see `withNumbers`. */
export function englishNumbers(path: string, body: string): string {
  const lines = visibleText(body.replace(AS_IT_IS, '')).split('\n');
  return lines.flatMap((line) => (ENGLISH.test(line) ? `${path}: ${line}\n` : [])).join('');
}

const ENGLISH = /\b\d{1,3}(?:,\d{3})+\b|\b\d+\.\d{2}\b/;

const INLINE = /<\/?(?:a|b|i|em|strong|span|code|time|abbr|small|data|label|kbd|wbr)\b[^>]*>/g;
const CHARACTERS: Readonly<Record<string, string>> = { quot: '"', lt: '<', gt: '>', nbsp: ' ', amp: '&' };

/** The visible text of a page without the frame that all pages share; the whole body when it is no page. */
export function visibleText(body: string): string {
  const text = (/<main\b.*<\/main>/s.exec(body)?.[0] ?? body)
    .replace(/<(script|style|svg)\b.*?<\/\1>|<input\b[^>]*type="hidden"[^>]*>/gs, '')
    .replace(/<(?:input|button)\b[^>]*\bvalue="([^"]*)"[^>]*>/g, ' [$1] ')
    .replace(INLINE, '')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&(\w+);/g, (whole, name) => CHARACTERS[name] ?? whole);
  const lines = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
  return `${lines.filter(Boolean).join('\n')}\n`;
}
