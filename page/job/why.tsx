import type { ReactElement } from 'react';
import type { JobDetails, WhyResponse } from '../api/rows.ts';
import { Failure } from '../words/failure.tsx';
import { Instant } from '../words/instant.tsx';
import { Name } from '../words/name.tsx';
import { Rule } from './status.tsx';
import { usePodWhy } from './use-job.ts';

/** Why a pod was created and how it ended: the answers, and the chain of causes to its roots. */
export function Why({ job, pod }: { job: JobDetails; pod: string }): ReactElement {
  const { data: answer, error } = usePodWhy(job, pod);
  return (
    <section className="why" aria-labelledby="why">
      <h2 id="why">
        Why <Name text={pod} />
      </h2>
      {error !== null && <Failure error={error} />}
      {answer === undefined && error === null && <p role="status">loading</p>}
      {answer !== undefined && <Chain answer={answer} />}
    </section>
  );
}

function Chain({ answer: { answers, causes, waits } }: { answer: WhyResponse }): ReactElement {
  const numbers = new Map(causes.map(({ id }, at) => [id, at + 1]));
  return (
    <>
      <dl>
        {answers.map(({ question, words, because }) => (
          <div key={question}>
            <dt>{question}</dt>
            <dd>
              <Name text={words} /> <Because of={because} numbers={numbers} />
            </dd>
          </div>
        ))}
      </dl>
      <h3>Causes, from the latest to the roots</h3>
      <ol className="causes">
        {causes.map(({ id, at, about, words, rule, because }) => (
          <li key={id} id={`cause-${numbers.get(id)}`}>
            <Instant at={at} /> <Name text={about} />: <Name text={words} /> <Rule rule={rule} />{' '}
            <Because of={because} numbers={numbers} />
          </li>
        ))}
      </ol>
      {waits.length > 0 && <h3>What was not done, and why</h3>}
      <ul>
        {waits.map(({ since, until, words, rule }) => (
          <li key={`${since} ${words}`}>
            <Instant at={since} /> to {until === null ? 'now' : <Instant at={until} />}: <Name text={words} />{' '}
            <Rule rule={rule} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Links to the causes of something. */
function Because(props: { of: readonly string[]; numbers: ReadonlyMap<string, number> }): ReactElement {
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
