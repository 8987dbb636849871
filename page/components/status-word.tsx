import type { ReactElement } from 'react';
import { statusTone } from './tone.ts';

/** The status of a Job or a pod, a coloured word with a dot. */
export function StatusWord({ word }: { word: string }): ReactElement {
  return <span className={`word tone-${statusTone(word)}`}>{word}</span>;
}
