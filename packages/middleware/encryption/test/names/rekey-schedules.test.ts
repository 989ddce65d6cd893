import { type Bytes, isStoreError, newVersion, type Store, StoreError } from '@unikv/core'
import { callOptions, canonicalKey, namespacePrefix } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { rekey } from '../../src/index.ts'
import { keys, utf8 } from '../records.ts'
import { names, otherNames, stackOf } from './named.ts'

const schedules = Number(process.env.UNIKV_SCHEDULES ?? 7)
const firstSeed = Number(process.env.UNIKV_SEED ?? 1)

/** Numbers below `n`, the same for the same seed. */
function numbers(seed: number): (n: number) => number {
  let state = (seed * 2_654_435_761) >>> 0
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

const allKeys = [[], ['team'], ['team', 'inner'], ['a', 'b', 'c', 'd', 'e']].flatMap((path) =>
  Array.from({ length: 6 }, (_, i) => canonicalKey(namespacePrefix(path), `key ${i}`)),
)

/** Writes to a stack and to a map, by chance. */
async function work(
  stack: Store<Bytes>,
  model: Map<string, string>,
  below: (n: number) => number,
): Promise<void> {
  const key = allKeys[below(allKeys.length)] as string
  if (below(3) === 0) {
    await stack.write([{ type: 'delete', key, version: newVersion() }], callOptions())
    model.delete(key)
    return
  }
  const value = `value ${below(1e9)}`
  await stack.write([{ type: 'set', key, value: utf8(value), version: newVersion() }], callOptions())
  model.set(key, value)
}

async function contents(stack: Store<Bytes>): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  for await (const { entries } of stack.scan({ prefix: '', pageSize: 50, values: true }, callOptions()))
    for (const { key, entry } of entries) {
      if (isStoreError(entry)) throw entry
      if (entry !== undefined) all.set(key, Buffer.from(entry.value).toString())
    }
  return all
}

/** The store as a rekey sees it: others work between its calls, and at some call it dies, before or after the effect. */
function around(store: MemoryStore, others: () => Promise<void>, below: (n: number) => number): Store<Bytes> {
  let callsLeft = below(2) === 0 ? Number.POSITIVE_INFINITY : below(30)
  const killed = () => new StoreError('UNAVAILABLE', 'Killed.')
  const call = async <T>(effect: () => T): Promise<T> => {
    await others()
    if (callsLeft < 0 || callsLeft-- === 0) {
      if (callsLeft === -1 && below(2) === 0) effect()
      throw killed()
    }
    return effect()
  }
  return {
    ...store,
    read: (reads, options) => call(() => store.read(reads, options)) as never,
    write: (mutations, options) => call(() => store.write(mutations, options)) as never,
    scan: async function* (range, options) {
      for (const page of store.scan(range, options) as Iterable<never>) {
        await others()
        yield page
      }
    },
  }
}

async function run(seed: number): Promise<void> {
  const below = numbers(seed)
  const store = memory()
  const model = new Map<string, string>()
  const old = stackOf(store)
  for (let i = 0; i < 30; i++) await work(old, model, below)
  const settings = {
    dataset: 'users',
    keys,
    from: names,
    to: otherNames,
    settleMs: 0,
    pageSize: 1 + below(9),
  }
  for (let round = 0; round < 8; round++) {
    const finish = below(3) === 0
    // Who is told to stop is told by an error; whoever was handed over has the other names.
    const others = async (): Promise<void> => {
      for (const by of [names, otherNames]) {
        const stack = stackOf(store, { by })
        if (below(2) === 0) await work(stack, model, below).catch(expectRefused)
      }
    }
    try {
      const report = await rekey(around(store, others, below), { ...settings, finish })
      expect(report.stragglers).toBe(0)
    } catch (error) {
      expect(error).toMatchObject({ code: 'UNAVAILABLE' })
    }
    const current = await contents(stackOf(store)).catch(expectRefused)
    const next = await contents(stackOf(store, { by: otherNames })).catch(expectRefused)
    expect(current ?? next, `seed ${seed}, round ${round}`).toEqual(model)
  }
  await rekey(store, { ...settings, finish: true })
  expect(await contents(stackOf(store, { by: otherNames })), `seed ${seed}`).toEqual(model)
  expect(store.native.size, `seed ${seed}: no old name is left`).toBe(model.size + 1)
}

function expectRefused(error: unknown): undefined {
  const code = isStoreError(error) ? error.code : error
  expect(['UNAVAILABLE', 'INVALID_CONFIG']).toContain(code)
  return undefined
}

test(`no record and no acknowledged write is lost in ${schedules} schedules with kills and writers`, async () => {
  for (let seed = firstSeed; seed < firstSeed + schedules; seed++) await run(seed)
}, 600_000)
