import { beforeAll, expect, it, jest } from '@jest/globals';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import type { UserRequest } from '../../services/requests/user-requests.ts';
import type { JobView } from '../../services/read-model/views/jobs.ts';
import type { JobEvent, JobSubmitted } from '../../workflows/job/events.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import { aJob, jobObserved } from '../projector/builders.ts';
import { whyNoChromium } from '../support/chromium.ts';
import { seriousFindings } from '../support/axe.ts';
import { claimantSeen } from '../projector/member-stream.ts';
import { aPlacedJobStream, member } from '../projector/placed-job-stream.ts';
import { eventually } from '../support/eventually.ts';
import { NO_OVERRIDES } from '../support/no-overrides.ts';
import { OPERATOR, SUBMITTER, TOKEN } from '../support/page-api.ts';
import { inChromium, pageInBrowser } from '../support/page-in-browser.ts';
import { fillWithStory, searchFor, STORY_LEDGER, type Story } from '../support/page-story.ts';

jest.setTimeout(120_000);

const MARKUP = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
const RIGHT_TO_LEFT = '\u202Egnitirw fo noitcerid\u05D0\u05D1';
const LONG = 'long-'.repeat(2000);

let story: Story;

const served = pageInBrowser();
const { visit, violations, elsewhere, url, project: projected } = served;

/** The cluster was requested to create these Jobs. */
const created: { path: string; body: Job }[] = [];

/** Returns a cluster that has the Job `ended`, and that creates any Job except one without an image. */
function playedCluster(): KubernetesClient {
  const request: KubernetesClient['request'] = async <T>({ method, path, body }: ApiRequest) => {
    if (method === 'GET') return aJob({ version: 2, metadata: { name: 'ended', uid: 'ended' } }) as T;
    const job = body as Job;
    const {
      name,
      generateName,
      namespace = 'default',
    } = job.metadata as Partial<Job['metadata']> & {
      generateName?: string;
    };
    if (name === 'typed' && !JSON.stringify(job.spec.template).includes('"image":')) {
      const message = `Job.batch "${name}" is invalid: spec.template.spec.containers[0].image: Required value`;
      throw new KubernetesApiError({ status: 422, reason: 'Invalid', message, causes: [] });
    }
    created.push({ path, body: job });
    const uid = `created-${created.length}`;
    const given = name ?? `${generateName}x`;
    await projected([named(given, uid, 30)]);
    const metadata = { name: given, namespace, uid, creationTimestamp: '2026-11-22T00:00:00Z' };
    return { metadata, spec: { managedBy: OWN_MANAGER } } as T;
  };
  return { cluster: 'east', request, stream: () => Promise.reject(new Error('no streams')) };
}

function received({ cluster, uid, namespace, name }: JobView, action: UserRequest, by: string): JobEvent {
  return withDigest({
    id: `${cluster}/${uid}/request/${by}`,
    type: 'request.received',
    source: 'jobledger/requests',
    subject: `${namespace}/${name}`,
    time: '2026-11-22T01:00:00Z',
    data: { cluster, jobUid: uid, action, by },
  });
}

/** Returns the observation of a Job. */
function named(name: string, uid: string, version: number, succeeded = 0): JobEvent {
  const creationTimestamp = '2026-11-22T00:00:00Z';
  const metadata = { name, uid, creationTimestamp };
  const event = jobObserved(
    0,
    aJob({ version, metadata, spec: { managedBy: OWN_MANAGER }, status: { succeeded } }),
    uid,
  );
  const time = new Date(Date.parse(creationTimestamp) + version * 1000).toISOString();
  return withDigest({ ...event, subject: `default/${name}`, time });
}

beforeAll(() =>
  served.start(async () => {
    story = await fillWithStory(served);
    await projected([
      named(MARKUP, 'hostile-1', 2),
      named(RIGHT_TO_LEFT, 'hostile-2', 3),
      named(LONG, 'hostile-3', 4),
    ]);
    return {
      // The request arrives in the tables as if from the ledger, and no service carries it out.
      ask: (job, request, by) => projected([received(job, request, by)]),
      clusters: [playedCluster()],
      overrides: {
        ...NO_OVERRIDES,
        availability: () =>
          Promise.resolve({ west: { cordoned: { by: 'anna', at: STORY_LEDGER.until, drain: true } } }),
      },
    };
  }),
);

const searchOfStory = (more = ''): string => searchFor(story, more);

const why = whyNoChromium();

inChromium(`the page in Chromium${why === null ? '' : ` (skipped: ${why})`}`, () => {
  it('the page asks for a token, and refuses a wrong token', async () => {
    const { page, context } = await visit({ token: null });
    const field = page.getByLabel('Token of the API');
    await field.fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    await field.fill(TOKEN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('table').waitFor();
    expect(page.url()).toBe(`${url()}/ui/`);
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await field.waitFor();
    expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).toBe(
      '[{},{}]',
    );
    await context.close();
  });

  it('the page leads from the fleet to a Job, to an earlier instant, and to the reasons of a pod', async () => {
    const { page, context } = await visit();
    // The page ignores keys before it is drawn.
    await page.getByRole('search').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(story.name.toUpperCase());
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Running/ }).click();
    await eventually('the filters are in the address', 20, async () =>
      page.url().includes('status=Running') && page.url().includes('text=') ? true : undefined,
    );
    await page.getByText('No Job matches.').waitFor();
    await page.getByRole('button', { name: 'Remove the filter status Running' }).click();
    const link = page.getByRole('link', { name: story.name, exact: true });
    await link.waitFor();
    // The address contains the filters, so a reload shows the same Jobs.
    await page.reload();
    await link.click();
    await page.getByRole('heading', { name: story.name }).waitFor();

    const previous = page.getByRole('button', { name: 'previous decision' });
    await previous.click();
    await previous.click();
    const decisions = await served.postgres.database.run<{ at: string }>(
      sql`select recorded_at as at from jobledger.decisions
        where cluster = ${story.cluster} and job_uid = ${story.uid} and not superseded order by number desc`,
    );
    const at = new Date(decisions[1]?.at ?? 0).toISOString();
    await eventually('the address names the instant', 20, async () =>
      new URL(page.url()).searchParams.get('at') === at ? true : undefined,
    );
    const [then] = await served.postgres.database.run<{ status: string }>({
      text: 'select kubectl_status as status from jobledger.jobs_as_of($1) where cluster = $2 and uid = $3',
      values: [at, story.cluster, story.uid],
    });
    const now = await served.postgres.database.run<{ status: string }>(
      sql`select kubectl_status as status from jobledger.jobs where cluster = ${story.cluster} and uid = ${story.uid}`,
    );
    // The two statuses must differ, or the test proves nothing.
    expect([then?.status, now[0]?.status]).toEqual(['Running', 'Failed']);
    const word = page.getByTestId('status-word');
    const isWord = (what: string, message: string): Promise<true> =>
      eventually(what, 20, async () => ((await word.textContent()) === message ? true : undefined));
    await isWord('the status is that of the instant', 'Running');
    // The address contains the instant, too.
    await page.reload();
    await isWord('the status is that of the instant after a reload', 'Running');
    await page.getByRole('button', { name: 'now', exact: true }).click();
    await isWord('the status is that of now', 'Failed');

    await page.getByRole('tab', { name: /^Pods/ }).click();
    await page.getByRole('button', { name: `why ${story.pod}`, exact: true }).click();
    const section = page.getByRole('region', { name: `Why ${story.pod}` });
    await section
      .getByRole('button', { name: /^Back-off, back-off after/ })
      .first()
      .click();
    const chosen = section.getByRole('region', { name: 'The chosen cause' });
    await chosen.getByText(/^Waits until [\d:]+ for the next attempt: back-off after/).waitFor();
    // The page shows the rule only after a further click.
    expect(await page.locator('main').innerText()).not.toMatch(/J-\d|ReleasePods|CreatePods|WriteStatus/);
    await chosen.getByText('The rule', { exact: true }).click();
    await chosen.getByText('J-5.40').waitFor();
    await page.goBack();
    await section.waitFor({ state: 'detached' });
    await context.close();
  });

  it('the page plays the decisions of a Job one after the other, and shows the differences between two instants', async () => {
    // The Job has only three decisions, because the page shows each decision for a second.
    const [short] = await served.postgres.database.run<{
      cluster: string;
      namespace: string;
      name: string;
      uid: string;
    }>(
      sql`select cluster, namespace, name, uid from jobledger.jobs j
        where decision_count = 3 and kubectl_status = ${'Complete'} and deleted_at is null
          and 3 = (select count(*) from jobledger.decisions d where d.cluster = j.cluster and d.job_uid = j.uid and not superseded)
        order by uid limit 1`,
    );
    if (short === undefined) throw new Error('the generated ledger has no Job with three decisions');
    const { cluster, namespace, name, uid } = short;
    const { page, context } = await visit({
      search: `?cluster=${cluster}&namespace=${namespace}&job=${name}&uid=${uid}`,
    });
    const instants = await served.postgres.database.run<{ at: string }>(
      sql`select recorded_at as at from jobledger.decisions
        where cluster = ${cluster} and job_uid = ${uid} and not superseded order by number`,
    );
    const at = (): string | null => new URL(page.url()).searchParams.get('at');
    const isAt = (instant: string): Promise<true> =>
      eventually(`the address names ${instant}`, 20, async () => (at() === instant ? true : undefined));
    const [first, last] = [instants[0]?.at, instants.at(-1)?.at].map((each) =>
      new Date(each ?? 0).toISOString(),
    );
    await page.getByRole('button', { name: 'play' }).click();
    await isAt(first ?? '');
    await page.getByRole('button', { name: 'keep to compare' }).click();
    await isAt(last ?? '');
    await page.getByRole('button', { name: 'play' }).waitFor();
    const compared = page.getByRole('region', { name: 'Compared' });
    await compared.getByRole('row', { name: 'active 0 1' }).waitFor();
    await compared.getByRole('row', { name: new RegExp(`^${name}-.* exit code 0`) }).waitFor();
    expect(new URL(page.url()).searchParams.get('compare')).toBe(first);
    // The address contains the comparison, so a reload shows it again.
    await page.reload();
    await compared.getByRole('row', { name: 'active 0 1' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'end the comparison', exact: true }).click();
    await compared.waitFor({ state: 'detached' });
    await context.close();
  });

  it('the page shows how a Job would have ended under another policy', async () => {
    const { page, context } = await visit({ search: searchOfStory() });
    await page.getByRole('tab', { name: 'What if' }).click();
    const limit = page.getByLabel('backoffLimit', { exact: true });
    await limit.fill('none');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'spec.backoffLimit is invalid' }).waitFor();
    await limit.fill('0');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('The Job would have ended differently.').waitFor();
    expect(new URL(page.url()).searchParams.getAll('set')).toEqual(['backoffLimit=0']);
    // The address contains the changed policy, so a reload shows the result again.
    await page.reload();
    await page.getByText('The Job would have ended differently.').waitFor();
    const ends = await page.getByRole('row', { name: /^end/ }).getByRole('cell').allTextContents();
    const [happened, otherwise] = ends.map((text) => /\d{4}-\d\d-\d\d [\d:.]+/.exec(text)?.[0] ?? '');
    expect(otherwise).not.toBe('');
    expect((otherwise ?? '') < (happened ?? '')).toBe(true);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('The Job would have ended differently.').waitFor({ state: 'detached' });
    await context.close();
  });

  it('the page shows a new Job and its changes without reloading', async () => {
    const { page, context } = await visit({ search: '?text=live-' });
    await page.getByText('No Job matches.').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await projected([named('live-1', 'live-1', 10)]);
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'live-1' }) });
    await row.getByText('0/1').waitFor();
    await projected([named('live-1', 'live-1', 11, 1)]);
    await row.getByText('1/1').waitFor();
    expect(await row.count()).toBe(1);
    await context.close();
  });

  it('the page shows when the API cannot be reached, and afterwards shows the changes of that time', async () => {
    const { page, context } = await visit({ search: '?text=restart-' });
    await page.getByText('live', { exact: true }).waitFor();
    await projected([named('restart-1', 'restart-1', 20)]);
    await page.getByRole('link', { name: 'restart-1' }).waitFor();
    await served.stopApi();
    await page.getByText('live', { exact: true }).waitFor({ state: 'detached' });
    // The page reports the outage at once, and still shows the last data.
    await page
      .getByRole('alert')
      .filter({ hasText: /cannot be reached since \d\d:\d\d:\d\d/ })
      .waitFor();
    expect(await page.getByRole('link', { name: 'restart-1' }).count()).toBe(1);
    expect(await page.locator('.stale main').count()).toBe(1);
    await projected([named('restart-1', 'restart-1', 21, 1), named('restart-2', 'restart-2', 22)]);
    await served.startApi();
    await page.getByText('live', { exact: true }).waitFor();
    await page.locator('.stale').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'restart-2' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'restart-1' }).getByText('1/1').waitFor();
    expect(await page.getByRole('link', { name: /^restart-/ }).count()).toBe(2);
    await context.close();
  });

  it('the page shows the gap of a cluster that was unreachable and answers again', async () => {
    const { page, context } = await visit();
    const bars = page.getByRole('img', { name: /gaps$/ });
    const gapsShown = async (): Promise<number> =>
      Number(/(\d+) gaps$/.exec((await bars.getAttribute('aria-label')) ?? '')?.[1] ?? Number.NaN);
    await bars.waitFor();
    const before = await gapsShown();
    const [since, until] = [Date.now() - 60_000, Date.now()].map((at) => new Date(at).toISOString());
    await projected([
      withDigest<JobEvent>({
        id: `${story.cluster}/gap/pods/1/2`,
        type: 'cluster.gap',
        source: story.cluster,
        subject: story.cluster,
        time: until ?? '',
        data: {
          cluster: story.cluster,
          resource: 'pods',
          from: '1',
          to: '2',
          since: since ?? '',
          until: until ?? '',
          reason: 'the cluster did not answer',
        },
      }),
    ]);
    const after = await eventually('another gap is shown', 30, async () => {
      const shown = await gapsShown();
      return shown > before ? shown : undefined;
    });
    expect(after).toBe(before + 1);
    await context.close();
  });

  it('the page combines many lanes into bands, which a user opens and closes', async () => {
    const { page, context } = await visit({ search: '' });
    await page.route(/\/v1\/jobs\/[^/]+\/pods\?/, async (route) => {
      const response = await route.fetch();
      const { items } = (await response.json()) as { items: object[] };
      const copies = Array.from({ length: 300 }, (_, index) => ({
        ...items[0],
        uid: `pod-${index}`,
        name: `copy-${index}`,
        completion_index: index,
      }));
      await route.fulfill({ response, json: { items: copies, next: null } });
    });
    await page.goto(`${url()}/ui/${searchOfStory()}`);
    const axis = page.getByRole('region', { name: /^Time axis/ });
    const band = axis.getByRole('button', { name: 'index 10 to 19' });
    await band.waitFor();
    expect(await axis.getByText('index 10', { exact: true }).count()).toBe(0);
    await band.focus();
    await page.keyboard.press('Enter');
    await axis.getByText('index 19', { exact: true }).waitFor();
    expect(await band.getAttribute('aria-expanded')).toBe('true');
    expect(await seriousFindings(page)).toEqual([]);
    await band.click();
    await axis.getByText('index 19', { exact: true }).waitFor({ state: 'detached' });
    // A handler that still runs when the page is closed would fail the next test.
    await page.unrouteAll({ behavior: 'wait' });
    await context.close();
  });

  it('the page shows where a placed Job ran, leads to its member and back, and shows the drained clusters', async () => {
    const placed = aPlacedJobStream();
    placed.answers(2, { kind: 'CreateMember', result: 'created', member });
    await projected([claimantSeen(3, { name: 'pi', uid: member.uid }), ...placed.events]);
    const { page, context } = await visit({ search: '?cluster=east&namespace=default&job=pi&uid=home-uid' });
    const table = page.getByRole('region', { name: 'Placements', exact: true });
    await table.getByText('west is the best').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await table.getByRole('link', { name: 'pi' }).click();
    const home = page.getByRole('link', { name: 'east/default/pi' });
    await home.waitFor();
    expect(new URL(page.url()).searchParams.get('cluster')).toBe('west');
    await home.click();
    await table.waitFor();
    await page.goto(`${url()}/ui/?view=clusters`);
    const west = page.getByRole('region', { name: 'Cluster west' });
    await west.getByText('jobledger clusters uncordon west').waitFor();
    await west.getByText('Placed Jobs there').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await context.close();
  });

  it('the page lets only a user with the right suspend a Job, and then shows who suspended it', async () => {
    await projected([named('held', 'held', 12)]);
    const search = '?cluster=east&namespace=default&job=held&uid=held';
    const reading = await visit({ search });
    await reading.page.getByRole('tab', { name: /^Requests/ }).waitFor();
    expect(await reading.page.getByRole('button', { name: 'Suspend' }).count()).toBe(0);
    await reading.context.close();
    const { page, context } = await visit({ search, token: OPERATOR });
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    // The button first shows how many pods stop.
    await page.getByRole('button', { name: 'Suspend and stop 0 pods' }).click();
    await page.getByRole('tab', { name: /^Requests/ }).click();
    const requests = page.getByRole('region', { name: 'Requests' });
    await requests.getByRole('listitem').waitFor();
    expect(await requests.getByRole('listitem').textContent()).toMatch(/suspend by operator$/);
    await context.close();
  });

  it('the page shows the user who submitted a Job, and the Job that it retries', async () => {
    const submission = { submission: 's1', by: 'ann', retryOf: 'uid-of-earlier' };
    const submitted = withDigest<JobSubmitted>({
      id: 'east/again/submitted',
      type: 'job.submitted',
      source: 'jobledger/requests',
      subject: 'default/again',
      time: '2026-11-22T00:00:01Z',
      data: { cluster: 'east', jobUid: 'again', ...submission },
    });
    await projected([named('again', 'again', 14), submitted]);
    const { page, context } = await visit({
      search: '?cluster=east&namespace=default&job=again&uid=again&tab=requests',
    });
    const requests = page.getByRole('region', { name: 'Requests' });
    await requests.getByRole('listitem').waitFor();
    expect(await requests.getByRole('listitem').textContent()).toMatch(
      /submitted by ann to retry the Job with the UID uid-of-earlier$/,
    );
    await context.close();
  });

  it('the page lets only a user with the right retry an ended Job, and leads to the new Job', async () => {
    const creationTimestamp = '2026-11-22T00:00:00Z';
    const conditions = [
      {
        type: 'Failed',
        status: 'True',
        reason: 'BackoffLimitExceeded',
        lastTransitionTime: creationTimestamp,
      },
    ];
    const metadata = { name: 'ended', uid: 'ended', creationTimestamp };
    const ended = jobObserved(0, aJob({ version: 3, metadata, status: { conditions } }), 'ended');
    await projected([withDigest({ ...ended, subject: 'default/ended' })]);
    const search = '?cluster=east&namespace=default&job=ended&uid=ended';
    const reading = await visit({ search });
    await reading.page.getByRole('tab', { name: /^Requests/ }).waitFor();
    expect(await reading.page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
    await reading.context.close();
    const { page, context } = await visit({ search, token: SUBMITTER });
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('link', { name: 'east/default/ended-x' }).click();
    await page.getByRole('heading', { name: 'ended-x' }).waitFor();
    await page.getByRole('region', { name: 'What happened' }).waitFor();
    expect(created.at(-1)?.body.metadata.annotations).toMatchObject({ 'jobledger.dev/retry-of': 'ended' });
    await context.close();
  });

  it('the page submits a Job from a manifest, which the cluster checks first', async () => {
    const { page, context } = await visit({ search: '?view=submit', token: SUBMITTER, bypassCSP: true });
    const editor = page.getByRole('textbox', { name: 'Manifest' });
    await editor.waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const type = async (text: string): Promise<void> => {
      await editor.focus();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
    };
    const check = page.getByRole('button', { name: 'Check' });
    await type('apiVersion: batch/v1\nkind: "Job');
    await check.click();
    await page
      .getByRole('alert')
      .filter({ hasText: /^line 2: / })
      .waitFor();
    const manifest = (main: string): string =>
      `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: typed\nspec:\n  template:\n    spec:\n      containers:\n        - ${main}\n`;
    await type(manifest('name: main'));
    await check.click();
    await page.getByRole('alert').filter({ hasText: 'containers[0].image: Required value' }).waitFor();
    // The editor marks the item of the list that lacks the field.
    await editor.locator('.cm-lintRange-error').filter({ hasText: 'name: main' }).waitFor();
    const before = created.length;
    await type(manifest('image: busybox'));
    await check.click();
    await page.getByText('The cluster would create this Job.').waitFor();
    expect(created.at(-1)?.path).toContain('dryRun=All');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByRole('link', { name: 'east/default/typed' }).click();
    await page.getByRole('region', { name: 'What happened' }).waitFor();
    expect(created.slice(before).map(({ path }) => path.includes('dryRun'))).toEqual([true, false]);
    expect(created.at(-1)?.body).toMatchObject({
      metadata: { name: 'typed' },
      spec: { managedBy: OWN_MANAGER },
    });
    await context.close();
  });

  it('the page completes field names while a user types a manifest', async () => {
    const { page, context } = await visit({ search: '?view=submit', token: SUBMITTER });
    const editor = page.getByRole('textbox', { name: 'Manifest' });
    await editor.focus();
    // The last line of the example is a field of a container.
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type(`${' '.repeat(10)}imagePu`);
    const option = page.getByRole('option', { name: /^imagePullPolicy/ });
    // The editor ignores a click while it still asks for the completions of the last letter.
    const text = await eventually('a field is completed', 20, async () => {
      const shown = (await editor.textContent()) ?? '';
      if (!shown.endsWith('imagePu')) return shown;
      await option.click({ timeout: 500 }).catch(() => undefined);
      return undefined;
    });
    expect(text).toContain('imagePullPolicy: ');
    await context.close();
  });

  it('the page shows which Jobs would have ended differently under another policy', async () => {
    const { page, context } = await visit({ search: '?kubectl_status=Failed' });
    await page.getByRole('link', { name: 'What if these Jobs had another policy?' }).click();
    await page.getByLabel('backoffLimit', { exact: true }).fill('0');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const status = page.getByRole('status').filter({ hasText: 'Jobs compared' });
    await status.filter({ hasText: /^[1-9]/ }).waitFor();
    const older = page.getByRole('button', { name: 'Compare older Jobs' });
    const [failed] = await served.postgres.database.run<{ jobs: number }>(
      sql`select count(*)::integer as jobs from jobledger.jobs where kubectl_status = 'Failed' and deleted_at is null`,
    );
    await eventually('all Jobs are compared', 30, async () => {
      if ((await status.textContent())?.startsWith(`${failed?.jobs} Jobs compared`) === true) return true;
      if ((await older.count()) > 0) await older.click({ timeout: 500 }).catch(() => undefined);
      return undefined;
    });
    const different = Number(/(\d+) different/.exec((await status.textContent()) ?? '')?.[1]);
    expect(different).toBeGreaterThan(0);
    expect(await page.getByRole('cell', { name: 'different', exact: true }).count()).toBe(different);
    const query = new URL(page.url()).searchParams;
    expect([query.get('view'), query.get('kubectl_status'), query.getAll('set')]).toEqual([
      'what-if',
      'Failed',
      ['backoffLimit=0'],
    ]);
    expect(await seriousFindings(page)).toEqual([]);
    // A Job opens with the same changed policy.
    await page.locator('tbody').getByRole('link').first().click();
    await page.getByText('The Job would have ended differently.').waitFor();
    await context.close();
  });

  it('the page keeps the period of the histogram and the grouping in the address, and lists the gaps', async () => {
    const { page, context } = await visit();
    await page.getByLabel('The latest').selectOption('month');
    await page.getByRole('button', { name: /^Group by/ }).click();
    await page.getByRole('menuitemradio', { name: 'condition of failed Jobs' }).click();
    const groups = page.getByRole('region', { name: 'Groups' });
    await groups.getByText(/^BackoffLimitExceeded \d+$/).waitFor();
    await page.reload();
    await groups.getByText(/^BackoffLimitExceeded \d+$/).waitFor();
    expect(await page.getByLabel('The latest').inputValue()).toBe('month');
    expect(new URL(page.url()).search).toBe('?length=month&group=failure');
    const histogram = page.getByRole('region', { name: 'Jobs over time' });
    const gaps = histogram.getByText(/^\d+ gaps$/);
    await gaps.click();
    const listed = await histogram.locator('.gaps').getByRole('listitem').count();
    expect(`${listed} gaps`).toBe(await gaps.textContent());
    await page.getByText('the tables are 7 records behind the ledger').waitFor();
    await context.close();
  });

  it('the page names the parts of an address that it cannot use, and applies the other parts', async () => {
    const { page, context } = await visit({ search: '?label=team&from=yesterday&status=Failed' });
    const note = page.getByRole('note', { name: 'Ignored parts of the address' });
    await note.getByText('label=team: expected is key=value, such as team=maths').waitFor();
    await note.getByText('from=yesterday: expected is an instant').waitFor();
    await page.getByRole('button', { name: /^Remove the filter status Failed/ }).click();
    await note.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    await context.close();
  });

  it('the page shows an error when the token has no right to read', async () => {
    const { page, context } = await visit({ token: 'token-of-robot' });
    expect(await page.getByRole('alert').textContent()).toBe('the token of robot may not read');
    await context.close();
  });

  it('the page shows names with markup, long names and names that change the writing direction as plain text', async () => {
    const { page, context } = await visit({ search: '?cluster=east&namespace=default' });
    await page.getByText(MARKUP).first().waitFor();
    expect(await page.locator('bdi', { hasText: RIGHT_TO_LEFT }).count()).toBe(1);
    expect(await page.locator('bdi', { hasText: LONG.slice(0, 253) }).count()).toBe(1);
    const widths = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[];
    expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0);
    await page.getByRole('link', { name: MARKUP }).click();
    await page.getByRole('region', { name: 'What happened' }).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.title()).toBe(`${MARKUP} · Jobledger`);
    await context.close();
  });

  it('the page filters by label, and by a period that a user selects with the mouse in the histogram', async () => {
    const [newest] = await served.postgres.database.run<{ at: string; label: string; jobs: string }>({
      text: `select (select max(created_at) from jobledger.jobs where cluster = $1 and namespace = $2) as at,
          label.key || '=' || label.value as label, count(*) as jobs
        from jobledger.jobs, jsonb_each_text(labels) as label
        where uid not like 'hostile%' group by label.key, label.value order by jobs limit 1`,
      values: [story.cluster, story.namespace],
    });
    const before = new Date(Date.parse(newest?.at ?? '') + 1000).toISOString();
    const from = new Date(Date.parse(before) - 86_400_000).toISOString();
    const counted = async (condition: string, values: unknown[]): Promise<number> => {
      const text = `select count(*)::integer as jobs from jobledger.jobs where ${condition}`;
      return (await served.postgres.database.run<{ jobs: number }>({ text, values }))[0]?.jobs ?? 0;
    };
    const { page, context } = await visit({ search: `?from=${from}&before=${before}` });
    const gaps = await served.postgres.database.run<{ id: string }>({
      text: 'select id from jobledger.gaps where until >= $1 and since <= $2',
      values: [from, before],
    });
    const all = await counted('created_at >= $1 and created_at < $2', [from, before]);
    const histogram = page.getByRole('region', { name: 'Jobs over time' });
    await histogram.getByText(`${all} created`, { exact: true }).waitFor();

    expect(gaps.length).toBeGreaterThan(0);
    expect(await histogram.locator('title', { hasText: 'not seen' }).count()).toBe(gaps.length);

    const box = await histogram.getByRole('img').boundingBox();
    if (box === null) throw new Error('the histogram is not visible');
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width / 2, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, y);
    await page.mouse.move(box.x + box.width - 1, y);
    await page.mouse.up();
    const dragged = await eventually('the address has the period', 20, async () => {
      const query = new URL(page.url()).searchParams;
      return query.get('from') === from ? undefined : [query.get('from'), query.get('before')];
    });
    const part = await counted('created_at >= $1 and created_at < $2', dragged);
    expect([part > 0, part < all]).toEqual([true, true]);
    await histogram.getByText(`${part} created`, { exact: true }).waitFor();
    await page.reload();
    await histogram.getByText(`${part} created`, { exact: true }).waitFor();
    await histogram.getByRole('button', { name: 'all periods' }).click();
    await histogram.getByLabel('The latest').waitFor();

    const [key, value] = (newest?.label ?? '').split('=');
    await page.getByRole('button', { name: '+ filter' }).click();
    await page.getByText('label', { exact: true }).click();
    const field = page.getByRole('combobox', { name: 'Label' });
    await field.fill(`${key}`);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('A label has the form key=value, such as team=maths').waitFor();
    await field.fill(`${key}=${value}`);
    await page.getByRole('button', { name: 'Add' }).click();
    const labelled = await counted('labels ->> $1 = $2', [key, value]);
    await eventually('the table has the Jobs with the label', 20, async () =>
      (await page.getByRole('table').getAttribute('aria-rowcount')) === String(Math.min(labelled, 200) + 1)
        ? true
        : undefined,
    );
    await context.close();
  });

  it('the page counts the Jobs of each group, and filters by a group that a user chooses', async () => {
    const [group] = await served.postgres.database.run<{ status: string; jobs: string }>(
      sql`select status, count(*) as jobs from jobledger.jobs group by status order by count(*) desc limit 1`,
    );
    const { page, context } = await visit();
    await page.getByRole('button', { name: /^Group by/ }).click();
    await page.getByRole('menuitemradio', { name: 'status', exact: true }).click();
    const region = page.getByRole('region', { name: 'Groups' });
    await region.getByRole('button', { name: `${group?.status} ${group?.jobs}`, exact: true }).click();
    await eventually('the address has the group', 20, async () =>
      new URL(page.url()).searchParams.get('status') === group?.status ? true : undefined,
    );
    const groups = page.getByRole('region', { name: 'Groups' }).getByRole('button');
    const left = await eventually('only that group is left', 20, async () =>
      (await groups.count()) === 1 ? groups.allTextContents() : undefined,
    );
    expect(left).toEqual([expect.stringContaining(group?.status ?? '?')]);
    await context.close();
  });

  it('the page can store a view under a name and open it again', async () => {
    const { page, context } = await visit({ search: '?status=Failed&group=reason' });
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view…' }).click();
    await page.getByLabel('Name', { exact: true }).fill('failures');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.goto(`${url()}/ui/`);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'failures', exact: true }).click();
    const search = await eventually('the address is that of the view', 20, async () => {
      const now = new URL(page.url()).search;
      return now === '' ? undefined : now;
    });
    expect(search).toBe('?status=Failed&group=reason');
    await context.close();
  });

  it('the page loads the code of the view of a Job without waiting for the identity of the user', async () => {
    const { page, context } = await visit({ token: null });
    await page.addInitScript(`sessionStorage.setItem('jobledger-token', '${TOKEN}')`);
    const code = page.waitForRequest(/\/ui\/assets\/job-page-/);
    // The answer comes only after the page has requested the code.
    await page.route(/\/v1\/whoami$/, async (route) => {
      await code;
      await route.continue();
    });
    await page.goto(`${url()}/ui/${searchOfStory()}`);
    const axis = page.getByRole('region', { name: /^Time axis/ });
    await axis.waitFor();
    expect(await axis.count()).toBe(1);
    await page.unrouteAll({ behavior: 'wait' });
    await context.close();
  });

  it('the page sends requests to no other server, and breaks no rule of its content security policy', () => {
    expect({ elsewhere, violations }).toEqual({ elsewhere: [], violations: [] });
  });
});
