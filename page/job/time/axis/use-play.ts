import { useEffect, useEffectEvent, useState } from 'react';

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

/**
 * The instant of the first decision after `at`, or of the last decision before `at`; null when no such decision exists.
 * `at` null: now.
 */
export function stepFrom(
  instants: readonly number[],
  at: number | null,
  direction: 'next' | 'previous',
): number | null {
  const sorted = instants.toSorted((a, b) => a - b);
  if (direction === 'next') return at === null ? null : (sorted.find((each) => each > at) ?? null);
  return sorted.findLast((each) => at === null || each < at) ?? null;
}
