import { useEffect, useEffectEvent, useState } from 'react';
import { stepFrom } from './steps.ts';

/**
 * The time in milliseconds that the player stays at each decision. Browsers refuse much more frequent changes of the address.
 */
const STEP_MS = 1000;

/**
 * A player that moves from decision to decision, from the chosen instant to the last decision. It starts at the first decision if no decision follows
 * the chosen instant.
 */
export function usePlay(props: {
  at: number | null;
  instants: readonly number[];
  onChange: (at: number) => void;
}): { isPlaying: boolean; toggle: () => void; stop: () => void } {
  const [isPlaying, setPlaying] = useState(false);
  const step = useEffectEvent(() => {
    const { at, instants, onChange } = props;
    const next = stepFrom(instants, at, 'next');
    if (next === null) setPlaying(false);
    else onChange(next);
  });
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setInterval(step, STEP_MS);
    return () => clearInterval(timer);
  }, [isPlaying]);
  // Starts or stops the player.
  const toggle = (): void => {
    const { at, instants, onChange } = props;
    setPlaying(!isPlaying);
    const first = instants.length === 0 ? null : Math.min(...instants);
    if (!isPlaying && first !== null && stepFrom(instants, at, 'next') === null) onChange(first);
  };
  return { isPlaying, toggle, stop: () => setPlaying(false) };
}
