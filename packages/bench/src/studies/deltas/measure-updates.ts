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

/** Times in milliseconds, key after key, each with all of its updates; the rest are sums over the updates. */
export interface WaySample {
  readonly update: number[]
  readonly read: number[]
  readonly knownRead: number[]
  cpuNs: number
  sentBytes: number
  storedBytes: number
  readBytes: number
  knownReadBytes: number
  updateTrips: number
  readTrips: number
  knownReadTrips: number
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
  const cpu = process.cpuUsage()
  await timed(sample.update, () => writer.keys.set(key, value))
  await way.settled() // bases that are not needed any more are removed after the answer
  const { user, system } = process.cpuUsage(cpu)
  sample.cpuNs += (user + system) * 1_000
  sample.sentBytes += writer.traffic.sentBytes - sentBytes
  sample.updateTrips += writer.traffic.roundTrips - roundTrips
  sample.storedBytes += writer.traffic.storedBytes
  const unknown = await read(reader, sample.read, key, value)
  sample.readBytes += unknown.bytes
  sample.readTrips += unknown.trips
  const known = await read(knowing, sample.knownRead, key, value)
  sample.knownReadBytes += known.bytes
  sample.knownReadTrips += known.trips
}

async function read(
  { keys, traffic }: Opened,
  times: number[],
  key: string,
  value: Bytes,
): Promise<{ readonly bytes: number; readonly trips: number }> {
  const { receivedBytes, roundTrips } = traffic
  const found = await timed(times, () => keys.get(key))
  if (found === undefined || Buffer.compare(found, value) !== 0)
    throw new StoreError('CORRUPT', `${keys.name} does not return the value that was just written.`)
  return { bytes: traffic.receivedBytes - receivedBytes, trips: traffic.roundTrips - roundTrips }
}

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const startMs = performance.now()
  const result = await work()
  times.push(performance.now() - startMs)
  return result
}

function newSample(): WaySample {
  return {
    update: [],
    read: [],
    knownRead: [],
    cpuNs: 0,
    sentBytes: 0,
    storedBytes: 0,
    readBytes: 0,
    knownReadBytes: 0,
    updateTrips: 0,
    readTrips: 0,
    knownReadTrips: 0,
  }
}
