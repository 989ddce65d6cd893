import type { Columns, Found } from './client/cells.ts'
import type { Gateway } from './client/gateway.ts'

/** How the records of one dataset are spoken to. */
export interface Dataset {
  readonly gateway: Gateway
  readonly columns: Columns
  readonly family: string
  /** The start of row keys. */
  readonly prefix: string
  readonly rowOf: (key: string) => Buffer
  /** Wall clock by which records expire. */
  readonly clock: () => number
  /** Most requests of one call at the same time. */
  readonly width: number
  /** Is told of rows that hold nothing any more. */
  readonly expired: { met(key: string, found: Found): void }
}
