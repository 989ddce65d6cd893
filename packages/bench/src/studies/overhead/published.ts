import type { Operation } from './side/messages.ts'

/** A published overhead over a native client, in milliseconds, on so many nodes. */
export interface Published {
  readonly middleware: string
  readonly nodes: number
  readonly ms: Readonly<Record<Operation, number>>
}

/**
 * Published figures: Rafique, Van Landuyt, Reniers and Joosen, a study of data-access middleware for Cassandra (2018), tables 4
 * and 6. The text of the paper gives 1.03 ms for a read by Spring Data on five nodes, its table 0.93 ms.
 */
export const published: readonly Published[] = [
  { middleware: 'Kundera', nodes: 1, ms: { insert: 1.2, read: 0.32, update: 1.1, delete: 2.15 } },
  { middleware: 'Kundera', nodes: 3, ms: { insert: 1, read: 0.27, update: 1.2, delete: 2.62 } },
  { middleware: 'Kundera', nodes: 5, ms: { insert: 0.77, read: 0.16, update: 0.73, delete: 2.98 } },
  { middleware: 'PlayORM', nodes: 1, ms: { insert: 1.3, read: 0.2, update: 1.22, delete: 1.43 } },
  { middleware: 'PlayORM', nodes: 3, ms: { insert: 1.42, read: 0.2, update: 1.49, delete: 1.83 } },
  { middleware: 'PlayORM', nodes: 5, ms: { insert: 1.18, read: 0.1, update: 0.92, delete: 1.42 } },
  { middleware: 'Spring Data', nodes: 1, ms: { insert: 1.34, read: 0.74, update: 1.24, delete: 3.25 } },
  { middleware: 'Spring Data', nodes: 3, ms: { insert: 1.52, read: 1, update: 1.57, delete: 4.13 } },
  { middleware: 'Spring Data', nodes: 5, ms: { insert: 1.26, read: 0.93, update: 1.02, delete: 4.25 } },
]

/** Native times of the same study in milliseconds, which follow from its tables of absolute and relative overheads. */
export const publishedNativeMs: Readonly<Record<number, Readonly<Record<Operation, number>>>> = {
  1: { insert: 2.1, read: 2, update: 1.87, delete: 1.83 },
  3: { insert: 3, read: 2.9, update: 2.55, delete: 2.38 },
  5: { insert: 3.4, read: 3.3, update: 3.18, delete: 3 },
}
