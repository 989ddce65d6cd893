import type { Client } from './entrants.ts'

const batch = 32
const many = 64
/** Of a key that is deleted, in inserts. */
const oldAge = 32

/** One operation that is compared. */
export interface Step {
  readonly operation: string
  /** Calls at once; without it one, of which the latency is compared. */
  readonly workers?: number
  /** What comes before each call, and is not measured. */
  readonly prepare?: (i: number) => Promise<unknown>
  readonly run: ((i: number) => Promise<unknown>) | undefined
}

/**
 * The keys that are there from the start. Each start has its own: a server may keep what a key was before (HBase's memory
 * does, PostgreSQL's pages do), and the start before has written some of them seven times as often on one side.
 */
export interface Keys {
  readonly start: number
  readonly count: number
}

/** The operations of a client over some keys, in the order in which they are compared. */
export function stepsOf(client: Client, keys: Keys): readonly Step[] {
  const { readMany, insertMany } = client
  const keyOf = (i: number): string => keyAt(keys, (i * 7919) % keys.count)
  const some = (i: number): string[] => Array.from({ length: batch }, (_, n) => keyOf(i * batch + n))
  // Reads, updates and deletes find their keys; inserts make new ones.
  let inserted = 0
  let doomed = 0
  const read = (i: number): Promise<unknown> => client.read(keyOf(i))
  const update = (i: number): Promise<unknown> => client.insert(keyOf(i), value())
  return [
    { operation: 'read', run: read },
    { operation: 'update', run: update },
    { operation: 'insert', run: () => client.insert(`new:${process.pid}:${inserted++}`, value()) },
    {
      operation: 'delete',
      // One that was made some time ago: what it costs to remove the last of all depends on how full a page was before it.
      prepare: () => client.insert(`doomed:${keys.start}:${doomed++}`, value()),
      run: () => client.delete(`doomed:${keys.start}:${doomed - oldAge}`),
    },
    { operation: `batch of ${batch} reads`, workers: 1, run: readMany && ((i) => readMany(some(i))) },
    {
      operation: `batch of ${batch} updates`,
      workers: 1,
      run: insertMany && ((i) => insertMany(some(i).map((key) => [key, value()]))),
    },
    // Last: calls that are merged write several times as much as those of the native client, which then has the smaller
    // database.
    { operation: `reads, ${many} at once`, workers: many, run: read },
    { operation: `updates, ${many} at once`, workers: many, run: update },
  ]
}

/** Put the keys there, sixteen at once. */
export async function fill(client: Client, keys: Keys): Promise<void> {
  const lane = async (first: number): Promise<void> => {
    for (let i = first; i < keys.count; i += 16) await client.insert(keyAt(keys, i), value())
  }
  await Promise.all(Array.from({ length: 16 }, (_, i) => lane(i)))
}

function keyAt({ start }: Keys, i: number): string {
  return `user:${start}:${i}`
}

const values = Array.from({ length: 256 }, (_, i) => Buffer.alloc(1000, String(i)))
let writes = 0

/** Different from write to write: a server may skip an update that changes nothing. */
function value(): Buffer {
  const bytes = values[writes++ % values.length] as Buffer
  bytes.writeUInt32LE(writes)
  return bytes
}
