export * from '../workflows/cron-job/core.ts';
