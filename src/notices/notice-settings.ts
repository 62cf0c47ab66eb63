import type { WayName } from './way.ts';

/** The settings by these names, as they were read. */
export type NoticeSettings = {
  NOTIFY_WEBHOOK_URL?: string | undefined;
  NOTIFY_SMTP_URL?: string | undefined;
};

/** The ways on which notices are sent. */
export function waysGiven({ NOTIFY_WEBHOOK_URL, NOTIFY_SMTP_URL }: NoticeSettings): WayName[] {
  return [
    ...(NOTIFY_WEBHOOK_URL === undefined ? [] : ['webhook' as const]),
    ...(NOTIFY_SMTP_URL === undefined ? [] : ['mail' as const]),
  ];
}
