/** The colours of statuses; the page always shows the word of the status too. */
export type Tone = 'succeeded' | 'failed' | 'running' | 'waiting' | 'off';

const TONES: Readonly<Record<string, Tone>> = {
  Succeeded: 'succeeded',
  Complete: 'succeeded',
  SuccessCriteriaMet: 'succeeded',
  Failed: 'failed',
  FailureTarget: 'failed',
  Running: 'running',
  Ready: 'running',
  Pending: 'waiting',
  Retrying: 'waiting',
  Waiting: 'waiting',
};

/** The tone of a state of a Job or a pod; `off` for states that need no attention. */
export function statusTone(word: string): Tone {
  return (Object.hasOwn(TONES, word) ? TONES[word] : undefined) ?? 'off';
}
