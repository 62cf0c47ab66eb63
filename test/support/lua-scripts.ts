import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '../..');

/** A script of the product: its name, its URL, and its text without includes. */
export type Script = { name: string; url: URL; text: string };

/** Every Lua script below a folder of the product; a file with several scripts has one for each `-- @script`. */
export function scriptsIn(folder: string): Script[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.lua'))
    .sort()
    .flatMap((path) => {
      const whole = join(ROOT, folder, path);
      const [head = '', ...parts] = readFileSync(whole, 'utf8').split(/^-- @script (?=\S+$)/m);
      const url = pathToFileURL(whole);
      if (parts.length === 0) return [{ name: path.replace(/^.*\/|\.lua$/g, ''), url, text: head }];
      return parts.map((part) => {
        const [name = ''] = part.split('\n', 1);
        return { name, url: new URL(`#${name}`, url), text: part.slice(name.length) };
      });
    });
}
