import { type Html, type HtmlValue, html } from '../html/html.ts';

export type NoticeKind = 'info' | 'good' | 'warn' | 'bad';

const SHAPES: Readonly<Record<NoticeKind, string>> = {
  info: 'M8 2a6 6 0 1 0 .01 0M8 7.2v4M8 4.9v.1',
  good: 'M8 2a6 6 0 1 0 .01 0M5 8.2 7.2 10.4 11 6',
  warn: 'M8 2 14.5 13.5h-13zM8 6.4v3.2M8 11.6v.1',
  bad: 'M8 2a6 6 0 1 0 .01 0M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
};

/** Something that a person should know, and what to do about it. `urgent` is read out at once. */
export function notice(
  kind: NoticeKind,
  body: HtmlValue,
  { title, urgent = false }: { title?: string; urgent?: boolean } = {},
): Html {
  return html`<div class="notice is-${kind}" role="${urgent ? 'alert' : undefined}">
    <svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path d="${SHAPES[kind]}"/></svg>
    <div>${title !== undefined && html`<strong class="notice-title">${title}</strong> `}${body}</div>
  </div>`;
}
