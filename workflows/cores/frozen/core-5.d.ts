export * from '../../job/core.ts';
