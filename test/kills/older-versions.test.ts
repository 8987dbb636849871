import { createOlderVersions } from './older-versions.ts';

it('the test proxy gives every second short list of a collection an older version, and never two in a row', () => {
  const older = createOlderVersions();
  const list = '{"kind":"PodList","metadata":{"resourceVersion":"7","remainingItemCount":3}}';
  const output = ['/pods', '/jobs', '/pods', '/pods', '/jobs'].map(
    (path) =>
      (JSON.parse(older.of(path, list)) as { metadata: { resourceVersion: string } }).metadata
        .resourceVersion,
  );
  expect(output).toEqual(['1', '1', '7', '1', '7']);
  expect(older.count).toBe(3);
});
