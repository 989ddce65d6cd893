import { createRequire } from 'node:module'

/** Everything of workers in Redis begins with this; the braces keep it on one node of a cluster. */
export const prefix = '{unikv}'

/** Name of the queue of BullMQ in which all managers put their jobs. */
export const queueName = 'bench'

/** Plain keys beside the queue; all expire. */
export const names = {
  /** Is there while the manager of the session lives. */
  session: (session: string): string => `${prefix}:session:${session}`,
  /** Holds the session of the only manager. */
  manager: `${prefix}:manager` as string,
  /** When a phase begins: milliseconds of the clock of Redis. */
  start: (session: string, phase: number): string => `${prefix}:start:${session}:${phase}`,
  /** Is there when a phase must end early. */
  stop: (session: string, phase: number): string => `${prefix}:stop:${session}:${phase}`,
  /** The objects that values are cut from. */
  objects: (session: string, size: number, count: number): string =>
    `${prefix}:objects:${session}:${size}:${count}`,
} as const

/** Version of this package: manager and workers must have the same. */
export function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('../../../package.json') as { readonly version: string }
  return version
}
