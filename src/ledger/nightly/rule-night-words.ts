import { counted, grouped } from '../../counted.ts';
import type { RuleNight } from './retry-rules.ts';

/** `120 rows sent, 12 used up their nights`: what a rule did in a night, after its moment. */
export function ruleNightWords({ sent, waiting, usedUp }: Pick<RuleNight, 'sent' | 'waiting' | 'usedUp'>): string {
  const parts = [
    sent > 0 ? `${counted(sent, 'row')} sent again` : '',
    waiting > 0 ? `${sent > 0 ? grouped(waiting) : counted(waiting, 'row')} put to wait for approval` : '',
    usedUp > 0 ? `${counted(usedUp, 'row')} with all nights used up` : '',
  ].filter(Boolean);
  return parts.join(', ') || 'no row to send';
}
