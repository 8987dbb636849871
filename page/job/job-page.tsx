import { Tabs } from '@mantine/core';
import { useMemo, type ReactElement } from 'react';
import { JOB_TABS, type JobAddress, type JobTab } from '../address/page-address.ts';
import type { ChangeAddress } from '../address/use-page-address.ts';
import { Failure } from '../components/failure.tsx';
import { Loading } from '../components/loading.tsx';
import { Name } from '../components/name.tsx';
import { StatusWord } from '../components/status-word.tsx';
import { useTitle } from '../components/use-title.ts';
import { Actions } from './actions.tsx';
import { Chain } from './chain/chain.tsx';
import { Conditions } from './facts/conditions.tsx';
import { Decisions } from './decisions/decisions.tsx';
import { Facts } from './facts/facts.tsx';
import { indexBackOffs } from './pods/index-back-offs.ts';
import { KubernetesEvents } from './facts/kubernetes-events.tsx';
import { toLanes } from './pods/lanes.ts';
import { Manifest } from './facts/manifest.tsx';
import { Placements } from './placement/placements.tsx';
import { Pods } from './pods/pods.tsx';
import { Requests } from './facts/requests.tsx';
import { ComparedRuns } from './runs/compared-runs.tsx';
import { SentenceBanner } from './sentence/sentence-banner.tsx';
import { countedDecisions } from './life/spans.ts';
import { TimeTab } from './time/time-tab.tsx';
import type { JobLife } from './life/job-life.ts';
import { useChain, useJob } from './life/use-job.ts';
import { WhatIf } from './what-if.tsx';
import { Why } from './why/why.tsx';

/** The view of one Job: a sentence about the Job, its facts, its life on a time axis, and all details. */
export function JobPage({ address, change }: { address: JobAddress; change: ChangeAddress }): ReactElement {
  const { data: known, error } = useJob(address);
  useTitle(address.name);
  return (
    <main className="view job">
      <div className="heading">
        <h1>
          <Name text={address.name} />
        </h1>
        {known !== undefined && <StatusWord word={known.job.status} />}
        {known !== undefined && known.job.deleted_at !== null && known.job.status !== 'Deleted' && (
          <span className="muted small">deleted</span>
        )}
        {known !== undefined && <Actions known={known} address={address} change={change} />}
      </div>
      {error !== null && <Failure error={error} />}
      {known === undefined && error === null && <Loading rows={6} height={36} />}
      {known !== undefined && <Life known={known} address={address} change={change} />}
    </main>
  );
}

const TITLES: Record<JobTab, string> = {
  time: 'Time',
  pods: 'Pods',
  why: 'Why',
  chain: 'Chain',
  decisions: 'Decisions',
  conditions: 'Conditions',
  requests: 'Requests',
  'what-if': 'What if',
  manifest: 'Manifest',
};

/** The tab that an address shows, also if it names no tab. */
function shownTab({ tab, set, pod }: JobAddress): JobTab {
  if (tab !== undefined) return tab;
  if (set !== undefined) return 'what-if';
  return pod === undefined ? 'time' : 'why';
}

/** The content of the page for a known Job. */
function Life(props: { known: JobLife; address: JobAddress; change: ChangeAddress }): ReactElement {
  const { known, address, change } = props;
  const { job, pods, requests, isWhole } = known;
  const decisions = useMemo(() => countedDecisions(known.decisions), [known.decisions]);
  const lanes = useMemo(() => toLanes(pods, indexBackOffs(decisions)), [pods, decisions]);
  const at = address.at ?? null;
  // Changes parts of the Job's address, and removes the fields in `without`.
  const show = (next: Partial<JobAddress>, without: readonly (keyof JobAddress)[] = []): void => {
    const rest = Object.entries(address).filter(([field]) => !without.includes(field as keyof JobAddress));
    const shown = { ...(Object.fromEntries(rest) as unknown as JobAddress), ...next };
    change(
      { view: 'job', job: shown },
      next.pod === undefined && next.tab === undefined ? 'replace' : 'push',
    );
  };
  // Shows the Job as of an instant; null means now.
  const onInstant = (next: number | null): void => (next === null ? show({}, ['at']) : show({ at: next }));
  // Opens the explanation of a pod.
  const onPod = (pod: string): void => show({ pod, tab: 'why' });
  const counts: Partial<Record<JobTab, number>> = {
    pods: pods.length,
    decisions: decisions.length,
    conditions: job.conditions.length,
    requests: requests.length,
  };
  const chain = useChain(job).data;
  const isInChain = chain !== undefined && chain.links.length > 0;
  const tabs = JOB_TABS.filter((tab) => tab !== 'chain' || isInChain);
  return (
    <>
      <SentenceBanner job={job} pods={pods} onWhy={() => show({ tab: 'why' }, ['pod'])} />
      <Facts known={known} change={change} />
      <Placements known={known} at={at} change={change} />
      {address.other !== undefined && (
        <ComparedRuns known={known} other={address.other} change={change} onEnd={() => show({}, ['other'])} />
      )}
      {!isWhole && <p role="note">This Job has more pods, decisions or gaps than the page shows.</p>}
      <Tabs
        value={shownTab(address)}
        keepMounted={false}
        className="tabs"
        onChange={(tab) => tab !== null && show({ tab: tab as JobTab }, tab === 'why' ? ['pod'] : [])}
      >
        <Tabs.List>
          {tabs.map((tab) => (
            <Tabs.Tab key={tab} value={tab}>
              {TITLES[tab]}
              {counts[tab] !== undefined && (
                <span className="tab-count">{counts[tab].toLocaleString('en')}</span>
              )}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="time">
          <TimeTab
            known={known}
            lanes={lanes}
            decisions={decisions}
            at={at}
            kept={address.compare ?? null}
            onInstant={onInstant}
            onKeep={(kept) => (kept === null ? show({}, ['compare']) : show({ compare: kept }))}
            onPod={onPod}
          />
        </Tabs.Panel>
        <Tabs.Panel value="pods">
          <Pods job={job} lanes={lanes} rows={pods} at={at} onInstant={onInstant} onPod={onPod} />
        </Tabs.Panel>
        <Tabs.Panel value="why">
          <Why
            job={job}
            pods={pods}
            pod={address.pod ?? null}
            onPod={onPod}
            onJob={() => show({}, ['pod'])}
          />
        </Tabs.Panel>
        <Tabs.Panel value="chain">
          {isInChain ? (
            <Chain job={job} chain={chain} change={change} />
          ) : (
            <p className="muted">This Job waits for no Job, and no Job waits for it.</p>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="decisions">
          <Decisions decisions={decisions} at={at} onInstant={onInstant} />
        </Tabs.Panel>
        <Tabs.Panel value="conditions">
          <Conditions job={job} at={at} onInstant={onInstant} />
          <KubernetesEvents job={job} at={at} />
        </Tabs.Panel>
        <Tabs.Panel value="requests">
          <Requests requests={requests} change={change} />
        </Tabs.Panel>
        <Tabs.Panel value="what-if">
          <WhatIf
            job={job}
            set={address.set ?? []}
            onSet={(set) => {
              const { set: _, ...rest } = address;
              const next: JobAddress = { ...rest, tab: 'what-if' };
              change({ view: 'job', job: set.length === 0 ? next : { ...next, set } });
            }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="manifest">
          <Manifest job={job} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
