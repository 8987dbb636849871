/** The groups of the site's sidebar: the titles and pages of docs/, in the order of reading. */
export const SIDEBAR: readonly { title: string; pages: readonly string[]; collapsed?: boolean }[] = [
  {
    title: 'Guides',
    pages: [
      'guides/three-clusters',
      'guides/migrate-and-back',
      'guides/team-rights',
      'guides/failed-with-oom',
      'guides/keep-seven-years',
      'guides/alert-for-my-job',
      'guides/kafka-is-down',
    ],
  },
  {
    title: 'Concepts',
    pages: [
      'architecture',
      'job-life-cycle',
      'why-and-what-if',
      'placement',
      'spread',
      'annotations',
      'glossary',
    ],
  },
  {
    title: 'Interfaces',
    pages: [
      'command-line',
      'api',
      'page',
      'sql',
      'events',
      'recorded-fields',
      'metrics',
      'dashboards',
      'integrations',
    ],
  },
  {
    title: 'Operation',
    pages: [
      'operations',
      'configuration',
      'sizing',
      'backup-and-disaster',
      'engines/kafka',
      'engines/temporal',
      'engines/postgres',
    ],
  },
  { title: 'Behaviour', pages: ['rules', 'conformance', 'answers', 'benchmarks'], collapsed: true },
  { title: 'Project', pages: ['decisions/index', 'releasing'], collapsed: true },
];
