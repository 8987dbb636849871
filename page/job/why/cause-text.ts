import type { ListedPod, WhyResponse } from '../../api/rows.ts';
import type { Tone } from '../../components/tone.ts';
import { waitText } from '../decisions/decision-text.ts';
import { countText } from '../../components/count-text.ts';

export type ListedCause = WhyResponse['causes'][number];

/** A cause as text. `isFolded` marks a cause without news for the reader, which only links other causes or updates numbers. */
export interface CauseText {
  title: string;
  more: string;
  tone: Tone;
  isFolded: boolean;
}

/** Converts a cause to text. `pods` are the pods of the Job: the text names a pod by its index, which users know better than its name. */
export function causeText(cause: ListedCause, pods: readonly ListedPod[]): CauseText {
  const { about, message } = cause;
  if (about.startsWith('answer ')) return { title: 'Done', more: message, tone: 'off', isFolded: true };
  if (about.startsWith('pod ')) return podText(about.slice('pod '.length), message, pods);
  if (about === 'job') return jobText(message);
  if (about.startsWith('decision ')) return decisionText(message);
  return { title: withCapital(about), more: message, tone: 'off', isFolded: false };
}

/** The text about a change of a pod. */
function podText(name: string, message: string, pods: readonly ListedPod[]): CauseText {
  const pod = pods.find((each) => each.name === name);
  const who = pod === undefined || pod.completion_index === null ? 'Pod' : `Index ${pod.completion_index}`;
  const code = /exited with (\d+)/.exec(message)?.[1];
  if (/→ Failed/.test(message)) {
    const reason = pod?.reason === 'Error' ? null : (pod?.reason ?? null);
    const isStopped = pod?.end_message?.startsWith('deleted by Jobledger') === true;
    return {
      title: isStopped ? `${who} was stopped` : `${who} failed`,
      more:
        reason === null && code !== undefined
          ? `exit code ${code}`
          : [code, reason].filter(Boolean).join(' ') || name,
      tone: isStopped ? 'off' : 'failed',
      isFolded: false,
    };
  }
  if (/→ Succeeded/.test(message))
    return { title: `${who} succeeded`, more: name, tone: 'succeeded', isFolded: false };
  if (/deleted/.test(message))
    return { title: `${who} was deleted`, more: message, tone: 'off', isFolded: false };
  return { title: who, more: message, tone: 'running', isFolded: false };
}

/** The text about a change of the Job. */
function jobText(message: string): CauseText {
  if (message.startsWith('first seen'))
    return {
      title: 'Job created',
      more: message.replace(/^first seen,? ?/, ''),
      tone: 'off',
      isFolded: false,
    };
  return { title: 'Job changed', more: message, tone: 'off', isFolded: false };
}

/** The text about a command of a decision. */
function decisionText(message: string): CauseText {
  if (message.startsWith('waits: ')) {
    const wait = message.slice('waits: '.length);
    const isBackOff = /back-off/.test(wait);
    return {
      title: isBackOff ? 'Back-off' : 'Waits',
      more: isBackOff ? wait.replace(/^no pod before \S+: /, '') : waitText(wait),
      tone: 'waiting',
      isFolded: false,
    };
  }
  const [head = '', ...rest] = message.split(': ');
  const why = rest.join(': ');
  const [kind = '', ...names] = head.split(/,? /);
  switch (kind) {
    case 'CreatePods':
      return {
        title: `${countText(names.length, 'pod')} created`,
        more: why,
        tone: 'running',
        isFolded: false,
      };
    case 'DeletePods':
      return { title: `${countText(names.length, 'pod')} stopped`, more: why, tone: 'off', isFolded: false };
    case 'DeleteJob':
      return { title: 'Job deleted', more: why, tone: 'off', isFolded: false };
    case 'SetSuspend':
      return {
        title: why.startsWith('resume') ? 'Job resumed' : 'Job suspended',
        more: why,
        tone: 'off',
        isFolded: false,
      };
    case 'WriteStatus':
      return statusText(message, why);
    default:
      return { title: 'Noted', more: message, tone: 'off', isFolded: true };
  }
}

/** The text about a write of the status, with its reason. */
function statusText(message: string, why: string): CauseText {
  if (/Failed=True/.test(message))
    return { title: 'Job failed', more: withoutHead(why), tone: 'failed', isFolded: false };
  if (/Complete=True/.test(message))
    return { title: 'Job succeeded', more: withoutHead(why), tone: 'succeeded', isFolded: false };
  if (/FailureTarget=True/.test(message))
    return { title: 'The Job must fail', more: why, tone: 'failed', isFolded: false };
  if (/SuccessCriteriaMet=True/.test(message))
    return { title: 'The Job may end', more: why, tone: 'succeeded', isFolded: false };
  return { title: 'Counted', more: why, tone: 'off', isFolded: true };
}

/** The reason without the condition at its beginning, as in `FailureTarget stands: …`. */
function withoutHead(message: string): string {
  return message.replace(/^\w+ stands: /, '');
}

/** The text with a capital letter at the beginning. */
function withCapital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
