import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';
import type { CronJobAddress } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import type { StripPlace } from './starts-strip.ts';

/** The starts of a CronJob, one beside the other: missed ones half as high, the coming one dashed. */
export function StartStrip(props: {
  of: CronJobAddress;
  places: readonly StripPlace[];
  change: ChangeAddress;
}): ReactElement {
  const { of, places, change } = props;
  const { cluster, namespace } = of;
  return (
    <ol className="strip" aria-label="Starts, the latest last">
      {places.map(({ key, fate, isLate, words, start }) => (
        <li key={key}>
          <Tooltip label={words}>
            {start === null || start.status === null ? (
              <span className={`start start-${fate}`} role="img" aria-label={words} tabIndex={0} />
            ) : (
              <a
                className={`start start-${fate} ${isLate ? 'late' : ''}`}
                aria-label={words}
                {...linkTo({ view: 'job', job: { cluster, namespace, name: start.job_name } }, change)}
              />
            )}
          </Tooltip>
        </li>
      ))}
    </ol>
  );
}
