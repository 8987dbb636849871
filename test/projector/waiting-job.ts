import type { JobEvent } from '../../workflows/job/events.ts';
import { aRecording } from '../history/a-recording.ts';
import { at } from '../support/builders.ts';

/** The stream of a Job that waits for another one, which is missing. */
export function aWaitingJob(): readonly JobEvent[] {
  const recording = aRecording();
  recording.job(0, { suspend: true, annotations: { 'jobledger.dev/after': 'extract' } });
  recording.awaits(1, { name: 'extract', since: at(0) });
  return recording.events;
}
