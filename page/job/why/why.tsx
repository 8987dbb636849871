import { useMemo, useState, type ReactElement } from 'react';
import type { JobDetails, ListedPod, WhyResponse } from '../../api/rows.ts';
import { Failure } from '../../components/failure.tsx';
import { Instant } from '../../components/instant.tsx';
import { shortInstant, withLocalTimes } from '../../components/instants.ts';
import { Loading } from '../../components/loading.tsx';
import { Name } from '../../components/name.tsx';
import { Rule } from '../../components/rule.tsx';
import { causeText } from './cause-text.ts';
import { waitText } from '../decisions/decision-text.ts';
import type { LifePod } from '../life/job-life.ts';
import { useWhy } from '../life/use-job.ts';
import { whyGraph, type WhyGraph, type WhyNode } from './why-graph.ts';
import { LayeredPicture } from '../../components/layered-picture.tsx';

/**
 * The reason for the status of the Job, or for the creation and the end of a pod, as a picture and as text. `pod`
 * null: the Job.
 */
export function Why(props: {
  job: JobDetails;
  pods: readonly LifePod[];
  pod: string | null;
  onPod: (pod: string) => void;
  onJob: () => void;
}): ReactElement {
  const { job, pods, pod, onJob } = props;
  const member = pods.find(({ name }) => name === pod)?.member;
  const { data: why, error } = useWhy({ ...job, ...member }, pod);
  return (
    <section className="why" aria-labelledby="why">
      <div className="heading">
        <h2 id="why">
          {pod === null ? (
            questionText(job.status)
          ) : (
            <>
              Why <Name text={pod} />
            </>
          )}
        </h2>
        {pod !== null && (
          <button type="button" className="link" onClick={onJob}>
            Why the whole Job?
          </button>
        )}
      </div>
      {error !== null && <Failure error={error} />}
      {why === undefined && error === null && <Loading rows={3} height={60} />}
      {why !== undefined && <Explanation why={why} pods={pods} />}
    </section>
  );
}

/** The question of the page about a Job with this status. */
function questionText(state: string): string {
  if (state === 'Failed') return 'Why did the Job fail?';
  if (state === 'Succeeded') return 'Why did the Job succeed?';
  return 'Why does the Job have this status?';
}

/** The answers to the question, with the picture of the causes. */
function Explanation({ why, pods }: { why: WhyResponse; pods: readonly ListedPod[] }): ReactElement {
  const [isWhole, setWhole] = useState(false);
  const [asText, setText] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const graph = useMemo(() => whyGraph(why, pods, isWhole), [why, pods, isWhole]);
  const { others, folded } = graph.hidden;
  const last = graph.nodes.filter(({ isMain }) => isMain).toSorted((a, b) => b.column - a.column)[0];
  const node = graph.nodes.find(({ id }) => id === chosen) ?? last;
  return (
    <>
      <dl className="panel answers">
        {why.answers.map(({ question, message }) => (
          <div key={question}>
            <dt>{question}</dt>
            <dd>
              <Name text={readableText(message)} />
            </dd>
          </div>
        ))}
      </dl>
      {graph.nodes.length > 0 && (
        <div className="panel">
          <WhyPicture graph={graph} chosen={node?.id ?? null} onChosen={setChosen} />
          <p className="why-tools">
            {(others > 0 || isWhole) && (
              <button
                type="button"
                className="link"
                aria-pressed={isWhole}
                onClick={() => setWhole(!isWhole)}
              >
                {isWhole ? 'Show the shortest chain only' : `Show ${others} more causes`}
              </button>
            )}
            <button type="button" className="link" aria-pressed={asText} onClick={() => setText(!asText)}>
              {asText ? 'Hide the text' : 'As text'}
            </button>
            {folded > 0 && (
              <span className="muted small">{folded} records that only updated counts are left out.</span>
            )}
          </p>
        </div>
      )}
      <div className="beside">
        {node !== undefined && <ChosenCause node={node} />}
        <WaitList why={why} />
      </div>
      {asText && <CausesAsText why={why} pods={pods} />}
    </>
  );
}

/** The explanation of a node in two sentences, with a link to its rule. */
function ChosenCause({ node }: { node: WhyNode }): ReactElement {
  const { title, causes } = node;
  return (
    <section className="panel" aria-label="The chosen cause">
      <h3>{title}</h3>
      <ul className="chosen">
        {causes.map(({ id, at, about, message, rule }) => (
          <li key={id}>
            <span className="muted">
              <Instant at={at} isShort />
            </span>{' '}
            {about.startsWith('pod ') && (
              <>
                <Name text={about.slice('pod '.length)} />:{' '}
              </>
            )}
            <Name text={readableText(message)} /> <Rule rule={rule} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const [STATUS, KIND] = [
  /^WriteStatus \((.*?)\): /s,
  /^(CreatePods|DeletePods|DeleteJob|SetSuspend|ReleasePods) ?/,
];

/** The text of a cause, without the kind of the command and with local times. */
function readableText(message: string): string {
  const plain = message.startsWith('waits: ') ? waitText(message.slice('waits: '.length)) : message;
  return withLocalTimes(plain.replace(STATUS, '').replace(KIND, ''), Date.now());
}

/** The largest number of waits beside the picture, which shows the latest ones. */
const MOST_WAITS = 6;

/** The list of the waits. */
function WaitList({ why: { waits } }: { why: WhyResponse }): ReactElement | null {
  if (waits.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="not-done">
      <h3 id="not-done">What was not done</h3>
      {waits.length > MOST_WAITS && (
        <p className="muted small">
          The latest {MOST_WAITS} of {waits.length}.
        </p>
      )}
      <ul className="chosen">
        {waits
          .slice(-MOST_WAITS)
          .toReversed()
          .map(({ since, until, message, rule }) => (
            <li key={`${since} ${message}`}>
              <span className="muted">
                <Instant at={since} isShort /> to {until === null ? 'now' : <Instant at={until} isShort />}
              </span>
              <br />
              <Name text={readableText(message)} /> <Rule rule={rule} />
            </li>
          ))}
      </ul>
    </section>
  );
}

/** The list of all causes, from the latest to the roots. */
function CausesAsText({ why, pods }: { why: WhyResponse; pods: readonly ListedPod[] }): ReactElement {
  const numbers = new Map(why.causes.map(({ id }, at) => [id, at + 1]));
  return (
    <section className="panel" aria-labelledby="as-text">
      <h3 id="as-text">Causes, from the latest to the roots</h3>
      <ol className="causes">
        {why.causes.map((cause) => (
          <li key={cause.id} id={`cause-${numbers.get(cause.id)}`}>
            <Instant at={cause.at} /> <strong>{causeText(cause, pods).title}</strong>:{' '}
            <Name text={readableText(cause.message)} /> <Rule rule={cause.rule} />{' '}
            <CauseList of={cause.because} numbers={numbers} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Links to the causes of an answer, a cause or a wait. */
function CauseList(props: { of: readonly string[]; numbers: ReadonlyMap<string, number> }): ReactElement {
  const known = props.of.flatMap((id) => props.numbers.get(id) ?? []);
  return (
    <span className="because">
      {known.map((number) => (
        <a key={number} href={`#cause-${number}`} aria-label={`caused by ${number}`}>
          ← {number}
        </a>
      ))}
    </span>
  );
}

/** The causes as a picture, from left to right in time. A click on a node explains the node. */
function WhyPicture(props: {
  graph: WhyGraph;
  chosen: string | null;
  onChosen: (id: string) => void;
}): ReactElement {
  const { graph, chosen, onChosen } = props;
  const { nodes, edges, steps } = graph;
  const now = Date.now();
  const root = nodes.filter(({ isMain }) => isMain).toSorted((a, b) => a.column - b.column)[0];
  return (
    <LayeredPicture
      label="Causes from left to right in time"
      nodes={nodes.map((node) => ({ ...node, when: shortInstant(node.at, now) }))}
      edges={edges}
      chosen={chosen}
      onChosen={onChosen}
      // The answer is at the right side.
      begins="right"
      after={steps === 0 || root === undefined ? null : { id: root.id, message: `${steps} steps` }}
    />
  );
}
