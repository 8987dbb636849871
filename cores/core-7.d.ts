export * from '../workflows/job/core.ts';
