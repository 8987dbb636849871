import type { JobMessage } from '../message.ts';

/** A message as text. */
interface Words {
  /** The text about an event, without the name and the namespace of the Job. */
  verb: string;
  /** The reason of the event, when it is known. */
  why: string | null;
}

/** The most characters of a reason, because receivers have limits. */
const LONGEST = 1000;

export function messageText(message: JobMessage): Words {
  switch (message.type) {
    case 'dev.jobledger.job.started.v1':
      return { verb: 'started', why: null };
    case 'dev.jobledger.job.attempt-failed.v1': {
      const { pod, index, why, cluster } = message.data.attempt;
      const place = cluster === message.data.cluster ? '' : ` in ${cluster}`;
      const attempt = index === null ? pod : `${pod} (index ${index})`;
      return { verb: 'had a failed attempt', why: shortText(`${attempt}${place}: ${why}`) };
    }
    case 'dev.jobledger.job.ended.v1': {
      const { condition, reason, message: text } = message.data;
      const why = [reason, text].filter((part) => (part ?? '') !== '').join(': ');
      return {
        verb: condition === 'Failed' ? 'failed' : 'completed',
        why: why === '' ? null : shortText(why),
      };
    }
  }
}

export function shortText(text: string, longest = LONGEST): string {
  const characters = Array.from(text);
  return characters.length <= longest ? text : `${characters.slice(0, longest).join('')}…`;
}

/** The link to the Job on the web page at this address; null without an address. */
export function linkToJob(page: string | null, { data }: JobMessage): string | null {
  if (page === null) return null;
  const { cluster, namespace, name, uid } = data;
  const link = new URL(page);
  link.search = new URLSearchParams({ cluster, namespace, job: name, uid }).toString();
  return link.href;
}
