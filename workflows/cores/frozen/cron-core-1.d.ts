export * from '../../cron-job/core.ts';
