import { Tooltip } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { CronJobAddress } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import { Name } from '../components/name.tsx';
import { Rule } from '../components/rule.tsx';
import { FATES, type ShownFate, type StripPlace } from './strip-places.ts';

/**
 * The starts of a CronJob in a row; starts without a Job are half as high, and coming starts dashed. A click opens the Job, or shows why no Job exists.
 */
export function StartStrip(props: {
  of: CronJobAddress;
  places: readonly StripPlace[];
  change: ChangeAddress;
}): ReactElement {
  const { of, places, change } = props;
  const [chosen, setChosen] = useState<string | null>(null);
  const why = places.find(({ key }) => key === chosen)?.why ?? null;
  return (
    <>
      <ol className="strip" aria-label="Starts, the latest last">
        {places.map((place) => (
          <li key={place.key}>
            <Tooltip label={place.message}>
              <StripPlaceLink
                place={place}
                of={of}
                isChosen={place.key === chosen}
                onChoose={() => setChosen(place.key === chosen ? null : place.key)}
                change={change}
              />
            </Tooltip>
          </li>
        ))}
      </ol>
      <div role="status">
        {why !== null && (
          <p className="why-not">
            <Name text={why.message} /> <Rule rule={why.rule} />
          </p>
        )}
      </div>
      <StripLegend places={places} />
    </>
  );
}

/** One place of the strip: a link to the Job, or a button that shows why no Job exists. */
function StripPlaceLink({
  place: { fate, isLate, message, start, why },
  of: { cluster, namespace },
  isChosen,
  onChoose,
  change,
  ...tooltip
}: {
  place: StripPlace;
  of: CronJobAddress;
  isChosen: boolean;
  onChoose: () => void;
  change: ChangeAddress;
}): ReactElement {
  const className = `start start-${fate} ${isLate ? 'late' : ''}`;
  if (why !== null)
    return (
      <button
        {...tooltip}
        type="button"
        className={className}
        aria-label={`${message}; why?`}
        aria-expanded={isChosen}
        onClick={onChoose}
      />
    );
  // A start has no link if the tables do not have its Job.
  if (start === null || start.status === null)
    return <span {...tooltip} className={className} role="img" aria-label={message} tabIndex={0} />;
  const job = { cluster, namespace, name: start.job_name };
  return (
    <a {...tooltip} className={className} aria-label={message} {...linkTo({ view: 'job', job }, change)} />
  );
}

/** The legend of the colours in the strip. */
function StripLegend({ places }: { places: readonly StripPlace[] }): ReactElement {
  const fates = (Object.keys(FATES) as ShownFate[]).filter((each) =>
    places.some(({ fate }) => fate === each),
  );
  return (
    <ul className="strip-legend muted small" aria-label="Legend of the starts">
      {fates.map((fate) => (
        <li key={fate}>
          <span className={`start start-${fate}`} aria-hidden /> {FATES[fate]}
        </li>
      ))}
      {places.some(({ isLate }) => isLate) && (
        <li>
          <span className="start late" aria-hidden /> late
        </li>
      )}
    </ul>
  );
}
