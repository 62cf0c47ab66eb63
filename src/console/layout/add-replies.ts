import type { FastifyReply } from 'fastify';
import type { ConsoleApp } from '../console-app.ts';
import type { Html } from '../html/html.ts';
import { formUser } from './form-user.ts';
import { type Assets, layout, type PageParts } from './layout.ts';
import type { StripState } from './strip.ts';
import { wantsFragment } from './wants-fragment.ts';

/** Gives each reply the ways in which pages answer. No page is kept by a browser: it shows other people's data. */
export function addReplies(
  app: ConsoleApp,
  { assets, strip }: { assets: Assets; strip: { fresh: () => Promise<StripState>; last: () => StripState } },
): void {
  // One for the whole answer: a first visit has no secret yet, and each call would make another.
  const tokens = new WeakMap<FastifyReply, string>();
  app.decorateReply('csrf', function csrf(this: FastifyReply) {
    const token = tokens.get(this) ?? this.generateCsrf({ userInfo: formUser(this.request) });
    tokens.set(this, token);
    return token;
  });
  app.decorateReply('fragment', function fragment(this: FastifyReply, piece: Html) {
    return this.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(piece.markup);
  });
  app.decorateReply('pageNow', function pageNow(this: FastifyReply, parts: PageParts) {
    // It took too long, and the person was told so meanwhile.
    if (this.sent) return this;
    if (wantsFragment(this.request)) return this.fragment(parts.body);
    const { person } = this.request;
    const rights = person.by === '' ? undefined : this.request.rights;
    return this.fragment(layout(parts, { assets, csrf: this.csrf(), strip: strip.last(), rights, person }));
  });
  app.decorateReply('page', async function page(this: FastifyReply, parts: PageParts) {
    if (!wantsFragment(this.request) && this.request.person.by !== '') await strip.fresh();
    return this.pageNow(parts);
  });
}
