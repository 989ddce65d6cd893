import { type Bytes, StoreError } from '@unikv/core'
import { nextTurn, performance } from '@unikv/core/platform'
import { fastRandom, subSeed } from '../../random/random.ts'
import type { EditPattern } from './config.ts'
import { edited } from './edits.ts'
import type { Opened, WayUnderTest } from './ways.ts'

/** The inputs of one cell. */
export interface UpdatesInput {
  readonly plain: WayUnderTest
  readonly delta: WayUnderTest
  /** Begins the names of this cell's keys. */
  readonly prefix: string
  /** The values that are updated: one a key. */
  readonly objects: readonly Bytes[]
  readonly edit: EditPattern
  readonly share: number
  readonly updates: number
  /** No further key begins after this time. */
  readonly maxMs: number
  readonly seed: number
  /** Which way goes first, now and then the other one: 0 or 1. */
  readonly first: number
  readonly signal: AbortSignal
}

/** The measurements of one cell. */
export interface UpdatesSample {
  readonly plain: WaySample
  readonly delta: WaySample
  readonly updates: number
  /** Sums over the updates. */
  readonly valueBytes: number
  readonly deltas: number
}

/** Updates, then reads by a process that does not know the value, and by one that knew it before the last update. */
export const wayOperations = ['update', 'read', 'known read'] as const
/** An operation of a way. */
export type WayOperation = (typeof wayOperations)[number]

/** Times of an operation in milliseconds, key after key, each with all of its updates; the rest are sums over the updates. */
interface OperationSample {
  readonly timesMs: number[]
  /** Bytes of records that it sends, or that it brings. */
  bytes: number
  /** Requests that are waited for, one after the other. */
  trips: number
}

/** The measurements of one way; sums over the updates. */
export interface WaySample extends Readonly<Record<WayOperation, OperationSample>> {
  cpuNs: number
  /** Bytes that stand in the store after an update. */
  storedBytes: number
}

/**
 * Update keys again and again, whole and as deltas in turn, each with the same values. After every update each way is
 * read by a process that knows nothing of the value, and by one that has read the value before it; both must get it.
 *
 * @throws {StoreError} `CORRUPT` if another value is read than was written; the first error of the store
 */
export async function measureUpdates(input: UpdatesInput): Promise<UpdatesSample> {
  const ways = [
    { way: input.plain, sample: newSample(), name: 'whole' },
    { way: input.delta, sample: newSample(), name: 'delta' },
  ] as const
  const sums = { updates: 0, valueBytes: 0, deltas: 0 }
  const startMs = performance.now()
  for (const [index, object] of input.objects.entries()) {
    if (index > 0 && performance.now() - startMs > input.maxMs) break
    const random = fastRandom(subSeed(input.seed, 'edits', input.prefix, index))
    const keyOf = (name: string): string => `${input.prefix}/${name}/${index}`
    let value = object
    const deltasBefore = input.delta.deltas()
    for (const { way, name } of ways) await begin(way, keyOf(name), value)
    for (let update = 0; update < input.updates; update++) {
      input.signal.throwIfAborted()
      value = edited(value, { ...input, originalBytes: object.length, random })
      for (const turn of [0, 1]) {
        const { way, sample, name } = ways[(turn + update + input.first) % 2] as (typeof ways)[number]
        await updateAndRead(way, sample, keyOf(name), value)
      }
      sums.updates++
      sums.valueBytes += value.length
      await nextTurn() // a store that answers at once would keep Ctrl-C waiting
    }
    sums.deltas += input.delta.deltas() - deltasBefore
    for (const { way, name } of ways) {
      await way.writer.keys.delete(keyOf(name))
      await way.settled()
    }
  }
  return { plain: ways[0].sample, delta: ways[1].sample, ...sums }
}

async function begin({ writer, knowing }: WayUnderTest, key: string, value: Bytes): Promise<void> {
  await writer.keys.set(key, value)
  await knowing.keys.get(key)
}

async function updateAndRead(way: WayUnderTest, sample: WaySample, key: string, value: Bytes): Promise<void> {
  const { writer, reader, knowing } = way
  const { sentBytes, roundTrips } = writer.traffic
  const { update } = sample
  const cpu = process.cpuUsage()
  await timed(update, () => writer.keys.set(key, value))
  await way.settled() // bases that are not needed any more are removed after the answer
  const { user, system } = process.cpuUsage(cpu)
  sample.cpuNs += (user + system) * 1_000
  update.bytes += writer.traffic.sentBytes - sentBytes
  update.trips += writer.traffic.roundTrips - roundTrips
  sample.storedBytes += writer.traffic.storedBytes
  await read(reader, sample.read, key, value)
  await read(knowing, sample['known read'], key, value)
}

async function read(
  { keys, traffic }: Opened,
  sample: OperationSample,
  key: string,
  value: Bytes,
): Promise<void> {
  const { receivedBytes, roundTrips } = traffic
  const found = await timed(sample, () => keys.get(key))
  if (found === undefined || Buffer.compare(found, value) !== 0)
    throw new StoreError('CORRUPT', `${keys.name} does not return the value that was just written.`)
  sample.bytes += traffic.receivedBytes - receivedBytes
  sample.trips += traffic.roundTrips - roundTrips
}

async function timed<T>({ timesMs }: OperationSample, work: () => Promise<T>): Promise<T> {
  const startMs = performance.now()
  const result = await work()
  timesMs.push(performance.now() - startMs)
  return result
}

function newSample(): WaySample {
  const operation = (): OperationSample => ({ timesMs: [], bytes: 0, trips: 0 })
  return { update: operation(), read: operation(), 'known read': operation(), cpuNs: 0, storedBytes: 0 }
}
