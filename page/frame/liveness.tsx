import type { ReactElement } from 'react';
import { useLiveness, type LiveState } from '../api/liveness.ts';
import { useUnreachable } from '../api/reachability.ts';
import type { Tone } from '../words/tone.ts';

const WORDS: Record<LiveState, [message: string, tone: Tone]> = {
  opening: ['connecting', 'waiting'],
  open: ['live', 'succeeded'],
  lost: ['not live', 'failed'],
};

/** Shows whether the page updates by itself. */
export function Liveness(): ReactElement | null {
  const state = useLiveness();
  const since = useUnreachable();
  if (state === null && since === null) return null;
  const [message, tone] = WORDS[since === null ? (state ?? 'opening') : 'lost'];
  return (
    <span role="status" className={`live tone-${tone}`}>
      {message}
    </span>
  );
}
