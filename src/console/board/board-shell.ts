/**
 * The page in which the board runs, without what our policy forbids and what would be loaded from elsewhere: fonts of another
 * site, and style that stands in the page, which is that of a word shown for a moment before the board is there.
 *
 * @throws Error where the page holds any of it still: an update of the board may have brought something new
 */
export function cleanShell(page: string): string {
  const clean = page
    .replace(/<link[^>]*\shref="https?:\/\/[^>]*>\s*/g, '')
    .replace(/<style>[\s\S]*?<\/style>\s*/g, '')
    .replace(/(<div id="root">)[\s\S]*?(<\/div>\s*)(?=<script defer|<\/body>)/, '$1Loading$2');
  const [left] = /\sstyle="|<style|\son\w+="|(?:src|href)="(?:https?:)?\/\//i.exec(clean) ?? [];
  if (left !== undefined) throw new Error(`The board's page has ${left.trim()} in it, which its policy forbids.`);
  return clean;
}

/**
 * What a browser may do with the board: its own scripts and styles, pictures and data from here, and nothing from elsewhere.
 * The board sets the styles of elements by script, which needs no leave, and adds sheets of its own for its editor, which
 * needs this one; scripts that stand in the page run under no circumstances.
 */
export const BOARD_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-elem 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'self'",
].join('; ');
