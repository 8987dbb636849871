import type { ListedPod, WhyResponse } from '../api/rows.ts';
import type { Tone } from '../words/tone.ts';
import { waitWords } from './decision-words.ts';
import { countWords } from '../words/count-words.ts';

export type ListedCause = WhyResponse['causes'][number];

/** A cause for a reader. `isFolded`: it only carries another one, or writes numbers. */
export interface CauseWords {
  title: string;
  more: string;
  tone: Tone;
  isFolded: boolean;
}

/** A cause in words. `pods`: those of the Job, whose indexes are better known than their names. */
export function causeWords(cause: ListedCause, pods: readonly ListedPod[]): CauseWords {
  const { about, words } = cause;
  if (about.startsWith('answer ')) return { title: 'Done', more: words, tone: 'off', isFolded: true };
  if (about.startsWith('pod ')) return podWords(about.slice('pod '.length), words, pods);
  if (about === 'job') return jobWords(words);
  if (about.startsWith('decision ')) return decisionWords(words);
  return { title: capital(about), more: words, tone: 'off', isFolded: false };
}

function podWords(name: string, words: string, pods: readonly ListedPod[]): CauseWords {
  const pod = pods.find((each) => each.name === name);
  const who = pod === undefined || pod.completion_index === null ? 'Pod' : `Index ${pod.completion_index}`;
  const code = /exited with (\d+)/.exec(words)?.[1];
  if (/→ Failed/.test(words)) {
    const reason = pod?.reason === 'Error' ? null : (pod?.reason ?? null);
    const isStopped = pod?.why_ended?.startsWith('deleted by Jobledger') === true;
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
  if (/→ Succeeded/.test(words))
    return { title: `${who} succeeded`, more: name, tone: 'succeeded', isFolded: false };
  if (/deleted/.test(words))
    return { title: `${who} was deleted`, more: words, tone: 'off', isFolded: false };
  return { title: who, more: words, tone: 'running', isFolded: false };
}

function jobWords(words: string): CauseWords {
  if (words.startsWith('first seen'))
    return { title: 'Job created', more: words.replace(/^first seen,? ?/, ''), tone: 'off', isFolded: false };
  return { title: 'Job changed', more: words, tone: 'off', isFolded: false };
}

function decisionWords(words: string): CauseWords {
  if (words.startsWith('waits: ')) {
    const wait = words.slice('waits: '.length);
    const isBackOff = /back-off/.test(wait);
    return {
      title: isBackOff ? 'Back-off' : 'Waits',
      more: isBackOff ? wait.replace(/^no pod before \S+: /, '') : waitWords(wait),
      tone: 'waiting',
      isFolded: false,
    };
  }
  const [head = '', ...rest] = words.split(': ');
  const why = rest.join(': ');
  const [kind = '', ...names] = head.split(/,? /);
  switch (kind) {
    case 'CreatePods':
      return {
        title: `${countWords(names.length, 'pod')} created`,
        more: why,
        tone: 'running',
        isFolded: false,
      };
    case 'DeletePods':
      return { title: `${countWords(names.length, 'pod')} stopped`, more: why, tone: 'off', isFolded: false };
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
      return statusWords(words, why);
    default:
      return { title: 'Noted', more: words, tone: 'off', isFolded: true };
  }
}

function statusWords(words: string, why: string): CauseWords {
  if (/Failed=True/.test(words))
    return { title: 'Job failed', more: withoutHead(why), tone: 'failed', isFolded: false };
  if (/Complete=True/.test(words))
    return { title: 'Job succeeded', more: withoutHead(why), tone: 'succeeded', isFolded: false };
  if (/FailureTarget=True/.test(words))
    return { title: 'The Job must fail', more: why, tone: 'failed', isFolded: false };
  if (/SuccessCriteriaMet=True/.test(words))
    return { title: 'The Job may end', more: why, tone: 'succeeded', isFolded: false };
  return { title: 'Counted', more: why, tone: 'off', isFolded: true };
}

function withoutHead(words: string): string {
  return words.replace(/^\w+ stands: /, '');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
