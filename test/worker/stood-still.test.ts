import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { watchForStops } from '../../services/worker/stood-still.ts';

const clock = { monotonic: 0, wall: 0, cpu: 0 };
const stops: number[] = [];
let over: AbortController;

/** Runs until the next look at the clocks. */
function run(passed: Partial<typeof clock> = {}): void {
  const { monotonic = 500, wall = monotonic, cpu = 10 } = passed;
  clock.monotonic += monotonic;
  clock.wall += wall;
  clock.cpu += cpu;
  jest.advanceTimersByTime(500);
}

beforeEach(() => {
  jest.useFakeTimers();
  stops.length = 0;
  over = new AbortController();
  watchForStops(
    5000,
    { signal: over.signal, onStopped: (length) => void stops.push(length) },
    { monotonic: () => clock.monotonic, wall: () => clock.wall, cpu: () => clock.cpu },
  );
  run();
});

afterEach(() => {
  over.abort();
  jest.useRealTimers();
});

describe('the detection that the worker process was stopped for longer than a workflow task may take', () => {
  it.each([
    ['by SIGSTOP', { monotonic: 12_500 }],
    ['with its virtual machine: the monotonic clock stood still', { monotonic: 500, wall: 12_500 }],
    ['and its wall clock was set back', { monotonic: 12_500, wall: -60_000 }],
  ])('reports the stop once when the process runs again after it was stopped %s', (_how, passed) => {
    run(passed);
    run();
    expect(stops).toEqual([12_000]);
  });

  it.each([
    ['it was stopped for a shorter time', { monotonic: 5400 }],
    ['it was busy', { monotonic: 12_500, cpu: 9000 }],
    ['its wall clock was set back', { wall: -60_000 }],
  ])('reports nothing when there was no such stop: %s', (_what, passed) => {
    run(passed);
    run();
    expect(stops).toEqual([]);
  });

  it('reports nothing after the worker has ended', () => {
    over.abort();
    run({ monotonic: 12_500 });
    expect(stops).toEqual([]);
  });
});
