import type { RunSample } from './result.ts'

/** Whether a worker was lost in a run: the result is invalid then, and further runs would wait for another one. */
export function hasLostWorker({ invalid }: Pick<RunSample, 'invalid'>): boolean {
  return invalid.some(({ reason }) => reason === 'worker-lost')
}
