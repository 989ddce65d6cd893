import { performance } from 'node:perf_hooks'
import { type Bytes, type Capabilities, keyValue, layer, type SetMutation, type Store } from '@unikv/core'
import { valueDelta } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { type DeltaOptions, delta } from '@unikv/delta'
import { redis } from '@unikv/redis'
import { startServer } from '@unikv/test-kit'
import { type Draw, drawing } from './measure/edit-patterns.ts'
import { printTable, writeResults } from './measure/report.ts'

// What does the delta layer save, and what does it cost? The same values, each an edit of the one before, written and
// read with and without it, in turn; new bases and records included. Redis is at hand here, so the network costs
// nothing: the last column tells how slow it must be, in Mbit/s, for an update to save more time than it computes. It is
// measured twice: as it applies deltas itself, and as a store that does not (`redis, chains`).

const rounds = Number(process.env['ROUNDS'] ?? 5)
const updates = Number(process.env['UPDATES'] ?? 40)
/** Processes that read the key after its last update; the fastest read of each kind counts. */
const readers = 5
const sizes = [1024, 10_240, 102_400, 1_048_576]

type Conditional = Capabilities & { readonly conditionalWrite: true }

/** How a value changes from one update to the next. */
const edits: Readonly<Record<string, (value: Buffer, draw: Draw) => Buffer>> = {
  'one field': (value, draw) => overwritten(value, 1, draw),
  '1 % in 8-byte edits': (value, draw) => overwritten(value, Math.ceil(value.length / 800), draw),
  'append 1 %': (value, draw) => Buffer.concat([value, letters(Math.ceil(value.length / 100), draw)]),
  'insert and cut': (value, draw) => {
    const at = draw(value.length - 40)
    return Buffer.concat([value.subarray(0, at), letters(10, draw), value.subarray(at, -10)])
  },
  unrelated: (value, draw) => letters(value.length, draw),
}

function letters(length: number, draw: Draw): Buffer {
  return Buffer.from(Uint8Array.from({ length }, () => 97 + draw(26)))
}

function overwritten(value: Buffer, count: number, draw: Draw): Buffer {
  const copy = Buffer.from(value)
  for (let i = 0; i < count; i++) letters(8, draw).copy(copy, draw(value.length - 8))
  return copy
}

/** Successive values of one key. */
function revisions(size: number, edit: (value: Buffer, draw: Draw) => Buffer, draw: Draw): readonly Buffer[] {
  const all = [letters(size, draw)]
  while (all.length <= updates) all.push(edit(all.at(-1) as Buffer, draw))
  return all
}

/** Bytes of a value on its way to a store: those of its delta, if the store is told of one. */
function sentBytes({ value, facts }: SetMutation<Bytes>): number {
  const hint = valueDelta.of(facts)
  return (hint?.of === value ? hint?.bytes : value)?.length ?? 0
}

/** Bytes of values that go to a store and come from it. */
class Moved {
  written = 0
  read = 0
  /** @param deltas Whether the store may be told of deltas, if it applies them. */
  layer(deltas: boolean) {
    return layer<Bytes, Bytes>('moved', {
      inner: 'bytes',
      outer: 'bytes',
      capabilities: () => (deltas ? {} : { deltas: false }),
      wrap: (inner) => ({
        write: (mutations, call) => {
          for (const one of mutations) if (one.type === 'set') this.written += sentBytes(one)
          return inner.write(mutations, call)
        },
        read: async (reads, call) => {
          const results = await inner.read(reads, call)
          for (const one of results) if (one !== undefined && 'value' in one) this.read += one.value.length
          return results
        },
      }),
    })
  }
}

/** The cost of one way of writing. */
interface Cost {
  /** Processor time of an update, a mean: what else runs on the machine counts little. */
  readonly updateUs: number
  readonly updateBytes: number
  /** Read by a process that has never seen the key, after all updates. */
  readonly coldReadUs: number
  readonly coldReadBytes: number
  /** Read by a process that has read the value before the last update. */
  readonly warmReadUs: number
  readonly warmReadBytes: number
}

let keysUsed = 0

async function run(
  store: Store<Bytes, Conditional>,
  values: readonly Buffer[],
  isChained: boolean,
  options?: DeltaOptions,
): Promise<Cost> {
  const key = `key ${keysUsed++}`
  // Not closed: that would close the store.
  const open = (moved: Moved) => {
    return options === undefined
      ? keyValue(store, [moved.layer(false)], { timeoutMs: 60_000 })
      : keyValue(store, [delta(options), moved.layer(!isChained)], { timeoutMs: 60_000 })
  }
  const [writing, cold, warm] = [new Moved(), new Moved(), new Moved()]
  const writer = open(writing)
  const coldReaders = Array.from({ length: readers }, () => open(cold))
  const warmReaders = Array.from({ length: readers }, () => open(warm))
  await writer.set(key, values[0] as Buffer)
  writing.written = 0
  const before = process.cpuUsage()
  for (const [i, value] of values.entries()) {
    if (i === 0) continue
    if (i === values.length - 1) {
      for (const reader of warmReaders) await reader.get(key)
      warm.read = 0
    }
    await writer.set(key, value)
  }
  const { user, system } = process.cpuUsage(before)
  const updateUs = (user + system) / (values.length - 1)
  const coldReadUs = await fastest(coldReaders.map((reader) => () => reader.get(key)))
  const warmReadUs = await fastest(warmReaders.map((reader) => () => reader.get(key)))
  await writer.delete(key)
  return {
    updateUs,
    updateBytes: writing.written / (values.length - 1),
    coldReadUs,
    coldReadBytes: cold.read / readers,
    warmReadUs,
    warmReadBytes: warm.read / readers,
  }
}

/** The least time of several in microseconds: how long it takes when nothing comes between. */
async function fastest(works: readonly (() => Promise<unknown>)[]): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (const work of works) {
    const startedAt = performance.now()
    await work()
    least = Math.min(least, (performance.now() - startedAt) * 1000)
  }
  return least
}

function medianOf(costs: readonly Cost[]): Cost {
  const middle = (name: keyof Cost): number =>
    costs.map((cost) => cost[name]).toSorted((a, b) => a - b)[costs.length >> 1] as number
  return {
    updateUs: middle('updateUs'),
    updateBytes: middle('updateBytes'),
    coldReadUs: middle('coldReadUs'),
    coldReadBytes: middle('coldReadBytes'),
    warmReadUs: middle('warmReadUs'),
    warmReadBytes: middle('warmReadBytes'),
  }
}

interface Row {
  readonly store: string
  readonly pattern: string
  readonly size: number
  readonly plain: Cost
  readonly delta: Cost
}

async function measure(
  store: Store<Bytes, Conditional>,
  options: DeltaOptions,
  isChained: boolean,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const size of sizes)
    for (const [pattern, edit] of Object.entries(edits)) {
      const values = revisions(size, edit, drawing(size))
      const costs = { plain: [] as Cost[], delta: [] as Cost[] }
      for (let round = 0; round <= rounds; round++) {
        const [plain, deltas] = [
          await run(store, values, isChained),
          await run(store, values, isChained, options),
        ]
        if (round === 0) continue
        costs.plain.push(plain)
        costs.delta.push(deltas)
      }
      rows.push({
        store: isChained && store.capabilities.deltas ? `${store.name}, chains` : store.name,
        pattern,
        size,
        plain: medianOf(costs.plain),
        delta: medianOf(costs.delta),
      })
    }
  return rows
}

/** The speed of a network at which both take as long, in Mbit/s: below it deltas are faster. */
function evenMbits({ plain, delta: deltas }: Row): number {
  const savedBits = 8 * (plain.updateBytes - deltas.updateBytes)
  const moreUs = deltas.updateUs - plain.updateUs
  if (savedBits <= 0) return 0
  return moreUs <= 0 ? Number.POSITIVE_INFINITY : savedBits / moreUs
}

function speed(row: Row): string {
  const mbits = evenMbits(row)
  if (mbits === 0) return 'never'
  return mbits === Number.POSITIVE_INFINITY ? 'any' : mbits.toFixed(0)
}

const us = (plain: number, deltas: number): string => `${plain.toFixed(0)} → ${deltas.toFixed(0)}`
const part = (plain: number, deltas: number): string => `${((100 * deltas) / plain).toFixed(1)} %`

await using server = await startServer('redis')
const options: DeltaOptions = {
  ...(process.env['MAX_DELTAS'] === undefined ? {} : { maxDeltas: Number(process.env['MAX_DELTAS']) }),
  ...(process.env['INLINE_BYTES'] === undefined ? {} : { inlineBytes: Number(process.env['INLINE_BYTES']) }),
}
const far = redis({ url: server.url, dataset: 'delta' }) as unknown as Store<Bytes, Conditional>
const all = [
  ...(await measure(memory(), options, false)),
  ...(await measure(far, options, false)),
  ...(await measure(far, options, true)),
]
await far.close()
printTable(
  `${updates} updates of one key, without → with deltas; Node ${process.version}, medians of ${rounds} rounds in turn`,
  [
    'store',
    'size',
    'edit',
    'update µs',
    'bytes',
    'cold get µs',
    'bytes',
    'warm get µs',
    'bytes',
    'faster below Mbit/s',
  ],
  all.map((row) => [
    row.store,
    String(row.size),
    row.pattern,
    us(row.plain.updateUs, row.delta.updateUs),
    part(row.plain.updateBytes, row.delta.updateBytes),
    us(row.plain.coldReadUs, row.delta.coldReadUs),
    part(row.plain.coldReadBytes, row.delta.coldReadBytes),
    us(row.plain.warmReadUs, row.delta.warmReadUs),
    part(row.plain.warmReadBytes, row.delta.warmReadBytes),
    speed(row),
  ]),
)
await writeResults('delta-layer', all)
