export * from '../workflows/placement/core.ts';
