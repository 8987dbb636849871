import type { JobMessage } from '../message.ts';
import { alertmanagerBody } from './alertmanager.ts';
import { slackBody } from './slack.ts';

export const BODIES = ['cloudevent', 'slack', 'alertmanager'] as const;
export type BodyKind = (typeof BODIES)[number];

/** The body of a request. */
export interface Body {
  contentType: string;
  text: string;
}

/** A message in the form that a receiver expects. `now`: milliseconds. */
export function formatBody(
  message: JobMessage,
  { kind, page, now }: { kind: BodyKind; page: string | null; now: number },
): Body {
  switch (kind) {
    case 'cloudevent':
      return {
        contentType: 'application/cloudevents+json; charset=utf-8',
        text: JSON.stringify(message),
      };
    case 'slack':
      return jsonBody(slackBody(message, page));
    case 'alertmanager':
      return jsonBody(alertmanagerBody(message, page, now));
  }
}

function jsonBody(content: unknown): Body {
  return { contentType: 'application/json; charset=utf-8', text: JSON.stringify(content) };
}
