import type { CronJobEvent } from '../../cron-job/events.ts';
import type { CronJobSpec } from '../../kubernetes/objects.ts';
import type { StartChange } from './types.ts';

/** A spec with the change; a field whose new value is null is absent. */
export function changedSpec<S extends CronJobSpec>(spec: S, change: StartChange): S {
  const fields = Object.entries({ ...spec, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(fields) as unknown as S;
}

/** The record as if the CronJob had always had the change. */
export function changedEvents(events: readonly CronJobEvent[], change: StartChange): CronJobEvent[] {
  return events.map((event) => {
    if (event.type !== 'cronjob.observed') return event;
    const { object } = event.data;
    return {
      ...event,
      data: { ...event.data, object: { ...object, spec: changedSpec(object.spec, change) } },
    };
  });
}
