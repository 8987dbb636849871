import { Button, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { CronJobAddress } from '../address/page-address.ts';
import type { ListedCronJob, WhatIfOfStarts } from '../api/rows.ts';
import { Failure } from '../components/failure.tsx';
import { Instant } from '../components/instant.tsx';
import { withLocalMinutes } from '../components/instants.ts';
import { Name } from '../components/name.tsx';
import { ScrollBox } from '../components/scrolled.tsx';
import { TableHead } from '../components/table-head.tsx';
import { useStartsWhatIf } from './use-cron-jobs.ts';

/** The form for another schedule, with its effect on the past starts. */
export function WhatIfSchedule(props: {
  address: CronJobAddress;
  cronJob: ListedCronJob;
  onSet: (set: readonly string[]) => void;
}): ReactElement {
  const { address, cronJob, onSet } = props;
  const asked = (address.set ?? []).find((each) => each.startsWith('schedule='))?.slice('schedule='.length);
  const [schedule, setSchedule] = useState(asked ?? '');
  const { data, error } = useStartsWhatIf(address);
  return (
    <section className="panel" aria-labelledby="what-if-schedule">
      <h2 id="what-if-schedule">What if it had another schedule?</h2>
      <form
        className="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          onSet(schedule.trim() === '' ? [] : [`schedule=${schedule.trim()}`]);
        }}
      >
        <TextInput
          label="Schedule"
          placeholder={cronJob.schedule ?? '0 2 * * *'}
          value={schedule}
          maxLength={200}
          onChange={({ currentTarget }) => setSchedule(currentTarget.value)}
        />
        <Button type="submit" variant="default">
          Compare
        </Button>
      </form>
      {error !== null && <Failure error={error} />}
      {asked !== undefined && error === null && data !== undefined && <WhatIfResult result={data} />}
    </section>
  );
}

const RESULTS: Readonly<Record<string, string>> = {
  same: 'the same',
  skipped: 'not started',
  added: 'started in addition',
  earlier: 'started earlier',
  later: 'started later',
  replaced: 'replaced by a later start',
  kept: 'not replaced',
  unknown: 'unknown',
};

/** The numbers of results, and a table of the past starts that the other schedule would have changed. */
function WhatIfResult({ result }: { result: WhatIfOfStarts }): ReactElement {
  const changed = result.starts.filter((start) => start.result !== 'same');
  const totals = Object.entries(result.totals).filter(([, count]) => count > 0);
  return (
    <>
      <p role="status">
        {totals.map(([name, count]) => `${count} ${RESULTS[name] ?? name}`).join(', ') ||
          'No start to compare'}
        .
      </p>
      {result.unknown !== null && (
        <p className="muted">
          Unknown from <Instant at={result.unknown.since} /> on: <Name text={result.unknown.message} />
        </p>
      )}
      {changed.length > 0 && (
        <ScrollBox label="Table of compared starts">
          <table className="table">
            <TableHead columns={['Due', 'Job', 'Would have been']} />
            <tbody>
              {changed.slice(0, 50).map((start) => (
                <tr key={`${start.scheduled_at} ${start.job}`}>
                  <td className="nowrap">
                    <Instant at={start.scheduled_at} />
                  </td>
                  <td>
                    <Name text={start.job} />
                  </td>
                  <td>
                    {RESULTS[start.result]} <span className="muted">{withLocalMinutes(start.message)}</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </>
  );
}
