import type { ReactElement } from 'react';
import { localInstant } from '../words/instants.ts';
import { stepFrom } from './steps.ts';
import type { TimeRange } from './time-range.ts';
import { usePlay } from './use-play.ts';

const STEPS = 1000;

/** Chooses the instant as of which the page shows the Job. `at` null: now. */
export function TimeSlider(props: {
  range: TimeRange;
  at: number | null;
  /** The instants of the decisions. */
  instants: readonly number[];
  onChange: (at: number | null) => void;
  /** Keeps the chosen instant to compare others with. */
  onCompare: (at: number) => void;
}): ReactElement {
  const { range, at, instants, onChange, onCompare } = props;
  const play = usePlay(props);
  const choose = (next: number | null): void => {
    play.stop();
    onChange(next);
  };
  const [from, to] = [Math.floor(range.from), Math.ceil(range.to)];
  const [previous, next] = [stepFrom(instants, at, 'previous'), stepFrom(instants, at, 'next')];
  return (
    <section className="slider" aria-label="Time slider">
      <button type="button" disabled={previous === null} onClick={() => choose(previous)}>
        ◀ previous decision
      </button>
      <input
        type="range"
        aria-label="As of"
        aria-valuetext={at === null ? 'now' : localInstant(at)}
        min={from}
        max={to}
        step={Math.max(1, Math.round((to - from) / STEPS))}
        value={at ?? to}
        onChange={({ target }) => choose(target.valueAsNumber)}
      />
      <button type="button" disabled={next === null} onClick={() => choose(next)}>
        next decision ▶
      </button>
      <button
        type="button"
        aria-pressed={play.isPlaying}
        disabled={instants.length === 0}
        onClick={play.toggle}
      >
        {play.isPlaying ? 'pause' : 'play'}
      </button>
      <button type="button" aria-pressed={at === null} onClick={() => choose(null)}>
        now
      </button>
      <button type="button" disabled={at === null} onClick={() => at !== null && onCompare(at)}>
        keep to compare
      </button>
      <output aria-live={play.isPlaying ? 'off' : 'polite'}>
        {at === null ? 'as it is now' : <>as of {localInstant(at)}</>}
      </output>
    </section>
  );
}
