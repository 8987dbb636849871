import { describe, expect, it } from '@jest/globals';
import { sitePages, withSiteLinks } from '../../../infra/release/site/pages.ts';
import { sidebar, toSlug } from '../../../infra/release/site/config.ts';

describe('the pages of the documentation site', () => {
  const pages = sitePages(process.cwd());

  it('are the README, the pages of docs and their pictures', () => {
    expect([...pages.keys()]).toEqual(
      expect.arrayContaining([
        'index.md',
        'sql.md',
        'guides/nightly-failed.md',
        'engines/kafka.md',
        'pictures/job.png',
      ]),
    );
    expect([...pages.keys()].filter((place) => /README|^docs\/|\.txt$/.test(place))).toEqual([]);
  });

  it('are each listed once in docs/overview.md, except for the pages of single decisions in docs/decisions', () => {
    const listed = sidebar().flatMap((group) => group.pages);
    const wanted = [...pages.keys()]
      .filter((place) => place.endsWith('.md') && !/^(decisions\/\d|index|overview)/.test(place))
      .map((place) => place.replace(/\.md$/, ''));
    expect(listed.toSorted()).toEqual(wanted.toSorted());
  });
});

describe('a link on the documentation site', () => {
  const inGuide = (link: string): string => withSiteLinks(`[x](${link})`, 'docs/guides/team-rights.md');

  it.each([
    ['../sql.md#questions', '../sql.md#questions'],
    ['three-clusters.md', './three-clusters.md'],
    ['../decisions/README.md', '../decisions/index.md'],
    ['../../README.md#try-it', '../index.md#try-it'],
    ['#in-sql', '#in-sql'],
    ['https://example.com/a.md', 'https://example.com/a.md'],
    ['../../LICENSE', 'https://github.com/jobledger/jobledger/blob/main/LICENSE'],
    [
      '../../infra/deploy/grafana/boards',
      'https://github.com/jobledger/jobledger/blob/main/infra/deploy/grafana/boards',
    ],
  ])('leads from %s to %s', (link, target) => {
    expect(inGuide(link)).toBe(`[x](${target})`);
  });

  it('leads from the README to the pages and pictures beside it', () => {
    expect(withSiteLinks('![p](docs/pictures/job.png) [s](docs/sql.md)', 'README.md')).toBe(
      '![p](./pictures/job.png) [s](./sql.md)',
    );
  });

  it('stays unchanged within code', () => {
    const text = '`[x](../../LICENSE)`\n\n```md\n[x](../../LICENSE)\n```\n';
    expect(withSiteLinks(text, 'docs/guides/team-rights.md')).toBe(text);
  });
});

describe('the anchor of a heading', () => {
  it.each([
    ['How many Jobs end in a minute, and which?', 'how-many-jobs-end-in-a-minute-and-which'],
    ['`cluster.detached`', 'clusterdetached'],
    ['See [the API](api.md) – now', 'see-the-api--now'],
    ['job_phases', 'job_phases'],
  ])('is the same as on GitHub: the heading %s has the anchor %s', (heading, anchor) => {
    expect(toSlug(heading)).toBe(anchor);
  });
});
