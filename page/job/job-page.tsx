import { useMemo, type ReactElement } from 'react';
import type { JobAddress } from '../address/page-address.ts';
import type { ChangeAddress } from '../address/use-page-address.ts';
import { WayBack } from '../address/way-back.tsx';
import { Failure } from '../words/failure.tsx';
import { Name } from '../words/name.tsx';
import { Comparison } from './comparison.tsx';
import { Decisions } from './decisions.tsx';
import { lanesOf } from './lanes.ts';
import { Pods } from './pods.tsx';
import { countedDecisions, deadlineOf, gapSpansOf, suspensionsOf, waitsOf } from './spans.ts';
import { Requests } from './requests.tsx';
import { Status } from './status.tsx';
import { TimeAxis } from './time-axis.tsx';
import { rangeAround, type TimeRange } from './time-range.ts';
import { TimeSlider } from './time-slider.tsx';
import { useJob, type JobLife } from './use-job.ts';
import { WhatIf } from './what-if.tsx';
import { Why } from './why.tsx';

/** One Job: its life on a time axis, and the facts known at the chosen instant. */
export function JobPage({ address, change }: { address: JobAddress; change: ChangeAddress }): ReactElement {
  const { data: known, error } = useJob(address);
  return (
    <main className="job">
      <WayBack change={change} />
      <h1>
        <Name text={`${address.cluster}/${address.namespace}/${address.name}`} />
      </h1>
      {error !== null && <Failure error={error} />}
      {known === undefined && error === null && <p role="status">loading</p>}
      {known !== undefined && <Life known={known} address={address} change={change} />}
    </main>
  );
}

function Life(props: { known: JobLife; address: JobAddress; change: ChangeAddress }): ReactElement {
  const { known, address, change } = props;
  const { job, pods, isWhole } = known;
  const lanes = useMemo(() => lanesOf(pods), [pods]);
  const decisions = useMemo(() => countedDecisions(known.decisions), [known.decisions]);
  const spans = useMemo(
    () => [...gapSpansOf(known.gaps), ...suspensionsOf(job.conditions), ...waitsOf(known.decisions)],
    [known, job],
  );
  const whole = useMemo(() => wholeRange(known), [known]);
  const at = address.at ?? null;
  const show = (next: { pod?: string; at?: number | null; compare?: number | null }): void => {
    const { at: _at, compare: _compare, ...rest } = address;
    const instant = next.at === undefined ? at : next.at;
    const kept = next.compare === undefined ? (address.compare ?? null) : next.compare;
    const shown = {
      ...rest,
      ...(next.pod !== undefined && { pod: next.pod }),
      ...(instant !== null && { at: instant }),
      ...(kept !== null && { compare: kept }),
    };
    change({ view: 'job', job: shown }, next.pod === undefined ? 'replace' : 'push');
  };
  const instants = decisions.map(({ recorded_at: recorded }) => Date.parse(recorded));
  return (
    <>
      {!isWhole && <p role="note">This Job has more pods, decisions or gaps than the page shows.</p>}
      <TimeSlider
        range={whole}
        at={at}
        instants={instants}
        onChange={(next) => show({ at: next })}
        onCompare={(kept) => show({ compare: kept })}
      />
      <TimeAxis
        picture={{ lanes, spans, decisions, deadline: deadlineOf(job) }}
        whole={whole}
        at={at}
        onPod={(pod) => show({ pod })}
      />
      {address.compare !== undefined && (
        <Comparison
          job={job}
          lanes={lanes}
          kept={address.compare}
          at={at}
          onEnd={() => show({ compare: null })}
        />
      )}
      {address.pod !== undefined && <Why job={job} pod={address.pod} />}
      <WhatIf
        job={job}
        set={address.set ?? []}
        onSet={(set) => {
          const { set: _, ...rest } = address;
          change({ view: 'job', job: set.length === 0 ? rest : { ...rest, set } });
        }}
      />
      <div className="beside">
        <Status job={job} at={at} />
        <Decisions decisions={decisions} at={at} onInstant={(next) => show({ at: next })} />
        <Requests job={job} requests={known.requests} change={change} />
        <Pods lanes={lanes} rows={pods} at={at} onPod={(pod) => show({ pod })} />
      </div>
    </>
  );
}

/** From the first to the last known instant; for a Job that has not ended, at least until now. */
function wholeRange({ job, pods, decisions }: JobLife): TimeRange {
  const isOver = job.finished_at !== null || job.deleted_at !== null;
  const deadline = deadlineOf(job);
  const known = [
    job.created_at,
    job.first_seen_at,
    job.started_at,
    job.finished_at,
    ...pods.flatMap((pod) => [pod.created_at, pod.finished_at]),
    ...decisions.flatMap(({ recorded_at: at, look_again_at: look }) => (isOver ? [at] : [at, look])),
  ].flatMap((text) => (text === null ? [] : [Date.parse(text)]));
  return rangeAround(isOver ? known : [...known, Date.now(), ...(deadline === null ? [] : [deadline])]);
}
