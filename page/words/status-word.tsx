import type { ReactElement } from 'react';

/** Marks that distinguish the statuses without colour. */
const MARKS: Record<string, string> = {
  Running: '▶',
  Suspended: '❚❚',
  Complete: '✓',
  Failed: '✕',
  FailureTarget: '✕',
  SuccessCriteriaMet: '✓',
  Terminating: '■',
};

/** The status of a Job or the phase of a pod. */
export function StatusWord({ word }: { word: string }): ReactElement {
  return (
    <span className={`word ${/^\w+$/.test(word) ? `word-${word}` : ''}`}>
      <span aria-hidden="true">{MARKS[word] ?? '·'}</span> {word}
    </span>
  );
}
