import { DATA, isSaidElsewhere } from './data.ts';

/** Elements whose text is data: names from files, typed or received texts, numbers and times. */
const OF_DATA = new Set('bdi code data kbd pre textarea time script style'.split(' '));

const VOID = new Set('area base br col hr img input link meta source wbr'.split(' '));

/** The marks around a text that was looked up in the catalogue. */
export const [BEGIN, END] = ['⟦', '⟧'];

/** A message in the test’s language: everything but its places and elements is between marks. */
export function marked(message: string): string {
  return message
    .split(/(\{\d+\}|<\/?\d+>)/)
    .map((part, at) => (at % 2 === 1 || part === '' ? part : `${BEGIN}${part}${END}`))
    .join('');
}

/** The texts of a page, and of attributes that people read, that have letters outside all marks. */
export function untranslated(body: string): string[] {
  if (!body.includes('<')) return [];
  const found: string[] = [];
  const open: string[] = [];
  const add = (text: string, where: string) => {
    const left = text
      .replace(/⟦[^⟧]*(?:⟧|$)|^[^⟦]*⟧/g, ' ')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
      .replace(/&\w+;/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    const rest = Object.values(DATA).reduce((text, data) => text.replace(data, ' '), left);
    if (/\p{L}/u.test(rest) && !isSaidElsewhere(rest)) found.push(`${where}: ${left}`);
  };
  for (const [token] of body.matchAll(/<(?:"[^"]*"|'[^']*'|[^'">])*>|[^<]+/g)) {
    const [, closes, name = ''] = /^<(\/?)([a-z][\w-]*)/i.exec(token) ?? [];
    if (!token.startsWith('<')) {
      if (!open.some((one) => OF_DATA.has(one))) add(token, open.at(-1) ?? '');
    } else if (closes) open.pop();
    else if (name !== '') {
      if (!VOID.has(name.toLowerCase())) open.push(name.toLowerCase());
      const attributes = / (title|aria-label|placeholder|alt|label|data-head|data-text(?:-[a-z]+)?)="([^"]*)"/g;
      for (const [, attribute = '', value = ''] of token.matchAll(attributes)) add(value, `${name} ${attribute}`);
    }
  }
  return found;
}
