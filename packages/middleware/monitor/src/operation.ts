/** The names of operations: what a call was for. */
export const operations = ['read', 'set', 'delete', 'touch', 'increment', 'scan', 'native'] as const

/** The name of an operation: what a call was for. */
export type Operation = (typeof operations)[number]
