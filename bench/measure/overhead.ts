import { closedLoop } from './closed-loop.ts'
import { thousands, times } from './report.ts'
import { interleaved, type Outcome } from './rounds.ts'

/** What one client offers. A key that is deleted may be missing, and one that is inserted present. */
export interface Operations {
  readonly insert: (key: string, value: Buffer) => Promise<unknown>
  readonly read: (key: string) => Promise<unknown>
  readonly delete: (key: string) => Promise<unknown>
  /** Many in the client's own way of doing so, if it has one. */
  readonly readMany?: (keys: readonly string[]) => Promise<unknown>
  readonly insertMany?: (entries: readonly (readonly [string, Buffer])[]) => Promise<unknown>
}

/** A store, its native client, and unikv over it, both over data of their own. */
export interface Entrants {
  readonly native: Operations
  readonly unikv: Operations
  /** Keys that are there from the start. @default 2,000 */
  readonly keys?: number
  readonly close: () => Promise<unknown>
}

/** What was measured of one operation. */
export interface OverheadLine {
  readonly store: string
  readonly operation: string
  readonly outcomes: readonly Outcome[]
  /** The figure, its limit, and whether it is kept. */
  readonly cells: readonly string[]
  readonly kept: boolean
}

/** How long to measure. */
export interface Effort {
  readonly rounds: number
  readonly durationMs: number
}

const batch = 32
const many = 64

/** Measure unikv against the native client, operation by operation, interleaved. */
export async function overheadOf(
  store: string,
  { native, unikv, keys = 2_000 }: Entrants,
  effort: Effort,
): Promise<readonly OverheadLine[]> {
  const keyOf = (i: number): string => `user:${(i * 7919) % keys}`
  for (const client of [native, unikv]) {
    const lane = async (start: number): Promise<void> => {
      for (let i = start; i < keys; i += 16) await client.insert(keyOf(i), value())
    }
    await Promise.all(Array.from({ length: 16 }, (_, i) => lane(i)))
  }
  // Reads, updates and deletes find their keys; inserts make new ones.
  let inserted = 0
  const some = (i: number): string[] => Array.from({ length: batch }, (_, n) => keyOf(i * batch + n))
  const steps: readonly Step[] = [
    { operation: 'read', run: (client) => (i) => client.read(keyOf(i)) },
    { operation: 'update', run: (client) => (i) => client.insert(keyOf(i), value()) },
    { operation: 'insert', run: (client) => () => client.insert(`new:${inserted++}`, value()) },
    {
      operation: 'delete',
      prepare: (client) => () => client.insert('doomed', value()),
      run: (client) => () => client.delete('doomed'),
    },
    { operation: `reads, ${many} at once`, workers: many, run: (client) => (i) => client.read(keyOf(i)) },
    {
      operation: `updates, ${many} at once`,
      workers: many,
      run: (client) => (i) => client.insert(keyOf(i), value()),
    },
    {
      operation: `batch of ${batch} reads`,
      workers: 1,
      run: ({ readMany }) => readMany && ((i) => readMany(some(i))),
    },
    {
      operation: `batch of ${batch} updates`,
      workers: 1,
      run: ({ insertMany }) => insertMany && ((i) => insertMany(some(i).map((key) => [key, value()]))),
    },
  ]
  const lines: OverheadLine[] = []
  for (const step of steps) {
    const line = await measured(store, native, unikv, step, effort)
    if (line !== undefined) lines.push(line)
  }
  return lines
}

interface Step {
  readonly operation: string
  /** Calls at once; without it one, of which the latency is compared. */
  readonly workers?: number
  /** What comes before each call, and is not measured. */
  readonly prepare?: (client: Operations) => (i: number) => Promise<unknown>
  readonly run: (client: Operations) => ((i: number) => Promise<unknown>) | undefined
}

async function measured(
  store: string,
  native: Operations,
  unikv: Operations,
  { operation, workers, prepare, run }: Step,
  { rounds, durationMs }: Effort,
): Promise<OverheadLine | undefined> {
  const [theirs, ours] = [run(native), run(unikv)]
  if (theirs === undefined || ours === undefined) return undefined
  collectGarbage()
  const outcomes = await interleaved(
    [
      { name: 'native', run: () => closedLoop(theirs, workers ?? 1, durationMs, prepare?.(native)) },
      { name: 'unikv', run: () => closedLoop(ours, workers ?? 1, durationMs, prepare?.(unikv)) },
    ],
    rounds,
  )
  const [base, own] = outcomes as [Outcome, Outcome]
  const kept = workers === undefined ? own.latencyRatio <= 1.05 : own.throughputRatio >= 0.95
  const figures =
    workers === undefined
      ? [`${base.p50Us.toFixed(0)} µs`, `${own.p50Us.toFixed(0)} µs`, times(own.latencyRatio), '≤ 1.05 ×']
      : [
          `${thousands(base.opsPerSecond)}/s`,
          `${thousands(own.opsPerSecond)}/s`,
          times(own.throughputRatio),
          '≥ 0.95 ×',
        ]
  return { store, operation, outcomes, kept, cells: [store, operation, ...figures, kept ? 'kept' : 'MISSED'] }
}

/**
 * Clients live long: what is young in one of them and old in the other (cassandra-driver's table of requests, say) makes
 * the collector's work differ by more than what is measured here.
 */
function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error('Start Node with --expose-gc.')
  globalThis.gc()
}

const values = Array.from({ length: 256 }, (_, i) => Buffer.alloc(1000, String(i)))
let writes = 0

/** Different from write to write: a server may skip an update that changes nothing. */
function value(): Buffer {
  const bytes = values[writes++ % values.length] as Buffer
  bytes.writeUInt32LE(writes)
  return bytes
}

/** A KeyValue as such a client. */
export function ofKeyValue(kv: {
  set(key: string, value: Uint8Array): Promise<unknown>
  get(key: string): Promise<unknown>
  delete(key: string): Promise<unknown>
  getMany(keys: readonly string[]): Promise<unknown>
  setMany(entries: readonly (readonly [string, Uint8Array])[]): Promise<unknown>
}): Operations {
  return {
    insert: (key, bytes) => kv.set(key, bytes),
    read: (key) => kv.get(key),
    delete: (key) => kv.delete(key),
    readMany: (keys) => kv.getMany(keys),
    insertMany: (entries) => kv.setMany(entries),
  }
}
