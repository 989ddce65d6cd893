import { readFileSync } from 'node:fs'
import { testClock } from '@unikv/conformance'
import { type Bytes, compose, type Entry, isStoreError, keyValue, newVersion } from '@unikv/core'
import { callOptions, isUserKey } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { Random } from '@unikv/test-kit/schedules'
import { describe, expect, test } from 'vitest'
import { type DeltaOptions, delta } from '../src/index.ts'
import { damages } from './chains/damage.ts'
import { chainKey, edited, randomChains } from './chains/random-chain.ts'
import {
  type ChainTold,
  type HexRecords,
  hasPython,
  hex,
  hexRecords,
  isUpToDate,
  type ReadCase,
  readByPython,
  type WriteCase,
  writtenByPython,
} from './golden/python.ts'
import { noise, revision } from './samples.ts'

/** What `golden/make_records.py`, an implementation in another language, wrote: a value, or the code of a refusal. */
interface Golden extends ReadCase {
  readonly name: string
  readonly value?: string
  readonly refused?: string
}

const golden = JSON.parse(
  readFileSync(new URL('golden/records.json', import.meta.url), 'utf8'),
) as readonly Golden[]
const readable = golden.filter(({ value }) => value !== undefined)
const refused = golden.filter(({ value }) => value === undefined)

/** A store with these records. */
function storeOf(records: HexRecords): MemoryStore {
  const store = memory()
  const sets = Object.entries(records).map(
    ([key, value]) =>
      ({ type: 'set', key, version: newVersion(), value: Buffer.from(value, 'hex') }) as const,
  )
  void store.write(sets, callOptions())
  return store
}

/** The value that the layer reads, in hexadecimal, or the code of its error. */
async function readByLayer(one: ReadCase, store = storeOf(one.records)): Promise<string> {
  const { maxOutputBytes } = one
  const stack = compose(store, [delta(maxOutputBytes === undefined ? {} : { maxOutputBytes })])
  const [result] = await stack.read([{ key: one.key }], callOptions())
  return isStoreError(result) ? result.code : hex((result as Entry<Bytes>).value)
}

describe('golden records', () => {
  test('there are more than 25 that are read and 80 that are refused', () => {
    expect(readable.length).toBeGreaterThan(25)
    expect(refused.length).toBeGreaterThan(80)
    expect(new Set(golden.map(({ name }) => name)).size).toBe(golden.length)
  })

  test.each(readable)('$name gives its value', async (one) => {
    expect(await readByLayer(one)).toBe(one.value)
  })

  test.each(refused)('$name is refused', async (one) => {
    expect(await readByLayer(one)).toBe(one.refused)
  })
})

/** Options under which nearly every edit becomes a delta. */
const generous: DeltaOptions = { minBytes: 0, maxDeltas: 1024, maxDeltaShare: 1, maxChainShare: 4 }

/** Values that are set one after the other. */
interface Life {
  readonly key: string
  readonly values: readonly Bytes[]
  readonly ttlMs?: number
  readonly options?: DeltaOptions
}

const long = (n: number): Bytes => Buffer.concat([noise(1, 200_000), revision(n), noise(2, 100_000)])
const revisions = [1, 2, 3, 4, 5].map((n) => revision(n))
const lives: readonly Life[] = [
  { key: 'long', values: [1, 2, 3, 4].map(long) },
  { key: 'emptied', values: [revision(1), revision(2), new Uint8Array(), new Uint8Array(), revision(3)] },
  { key: 'Größe 🚀', values: revisions, options: { inlineBytes: 0 } },
  { key: '\u0000\u0002 odd', values: revisions, options: { inlineBytes: 120 } },
  { key: 'ending', values: revisions, ttlMs: 60_000, options: { inlineBytes: 0 } },
  { key: 'unlike', values: [noise(3, 3000), noise(4, 3000), noise(4, 3000)] },
]

/** What the Python program is to write: some edits of a value, in records and in the head. */
function randomLife(random: Random): WriteCase {
  const values: Bytes[] = [revision(random.below(100), 2 + random.below(20))]
  for (let left = random.below(12); left > 0; left--) values.push(edited(values.at(-1) as Bytes, random))
  const counts: number[] = []
  for (let left = random.below(values.length); left > 0; left -= counts.at(-1) as number)
    counts.push(1 + random.below(left))
  const ids = Array.from({ length: counts.length + 1 }, () => hex(noise(random.below(2 ** 31), 12)))
  const key = random.pick(['document', 'Größe 🚀', '\u0001tenant\u0002document'])
  const isWhole = random.chance(0.1)
  const ends = random.pick([0, 2_000_000_000_000])
  return { key, values: values.map(hex), counts: isWhole ? null : counts, ends, ids }
}

/** That chains of all shapes are among those that the Python program was told of. */
function expectAllShapes(chains: readonly ChainTold[]): void {
  const some = (is: (chain: ChainTold) => boolean): number => chains.filter(is).length
  expect(some(({ counts, inline }) => counts.length === 0 && inline === 0)).toBeGreaterThan(20)
  expect(some(({ counts, inline }) => counts.length === 0 && inline > 0)).toBeGreaterThan(20)
  expect(some(({ counts, inline }) => counts.length > 1 && inline > 0)).toBeGreaterThan(2)
  expect(some(({ counts }) => counts.some((count) => count > 1))).toBeGreaterThan(10)
}

describe.skipIf(!hasPython)(`the Python program${hasPython ? '' : ': SKIPPED, no python3'}`, () => {
  test('would write the committed file again', () => {
    expect(isUpToDate()).toBe(true)
  })

  test('reads every moment of 60 random chains that the layer wrote', async () => {
    const cases: (ReadCase & { readonly value: string })[] = []
    for (let seed = 1; seed <= 60; seed++)
      for (const { value, records } of (await randomChains(new Random(seed))).moments)
        cases.push({ key: chainKey, records: hexRecords(records), value: hex(value) })
    const found = readByPython(cases)
    expect(found.map(({ value, refused: code }) => value ?? code)).toEqual(cases.map(({ value }) => value))
    const chains = found.flatMap((one) => ('chain' in one && one.chain !== null ? [one.chain] : []))
    expectAllShapes(chains)
    expect(found.length - chains.length).toBeGreaterThan(60)
  })

  test('reads long and empty values, keys of all kinds, and when parts end', async () => {
    const clock = testClock(1_763_800_000_000)
    const cases: ReadCase[] = []
    const shown: { readonly value: string; readonly ends: number }[] = []
    for (const { key, values, ttlMs, options } of lives) {
      const store = memory({ clock })
      const layer = delta({ clock, minBytes: 0, ...options })
      const kv = keyValue(store, [layer], { clock }).namespace('tenant')
      for (const value of values) {
        await kv.set(key, value, ttlMs === undefined ? {} : { ttlMs })
        await new Promise<void>((resolve) => process.nextTick(resolve))
        const stored = Array.from(store.native)
        const parts = stored.filter(([name]) => !isUserKey(name)).map(([, { expiresAt }]) => expiresAt ?? 0)
        cases.push({ key: `\u0001tenant\u0002${key}`, records: hexRecords(new Map(stored)) })
        shown.push({ value: hex(value), ends: parts.length === 0 ? 0 : Math.min(...parts) })
      }
    }
    const found = readByPython(cases)
    expect(
      found.map((one) => ('chain' in one ? { value: one.value, ends: one.chain?.ends ?? 0 } : one)),
    ).toEqual(shown)
    expect(shown.filter(({ ends }) => ends > 0).length).toBeGreaterThan(3)
  })

  test('refuses what the layer refuses, of 10 damages of each kind', async () => {
    const cases: ReadCase[] = []
    for (let seed = 1; seed <= 10; seed++) {
      const random = new Random(seed)
      const chains = await randomChains(random)
      for (const damage of Object.values(damages)) {
        const records = damage(chains, random)
        if (records?.has(chainKey)) cases.push({ key: chainKey, records: hexRecords(records) })
      }
    }
    const ours = await Promise.all(cases.map((one) => readByLayer(one)))
    expect(ours.filter((one) => one === 'CORRUPT').length).toBeGreaterThan(90)
    expect(readByPython(cases).map(({ value, refused: code }) => value ?? code)).toEqual(ours)
  })

  test('writes random chains that the layer reads, and goes on with', async () => {
    const cases = Array.from({ length: 80 }, (_, seed) => randomLife(new Random(seed + 1)))
    const written = writtenByPython(cases)
    const goneOn: ReadCase[] = []
    const stats = { deltas: 0, bases: 0, wholes: 0 }
    for (const [i, { key, values }] of cases.entries()) {
      const store = storeOf(written[i] as HexRecords)
      expect(await readByLayer({ key, records: {} }, store)).toBe(values.at(-1))
      const layer = delta({ ...generous, readBeforeWrite: true })
      const value = Buffer.from(`${values.at(-1)}2e`, 'hex')
      await compose(store, [layer]).write([{ type: 'set', key, version: newVersion(), value }], callOptions())
      for (const name of Object.keys(stats) as (keyof typeof stats)[])
        stats[name] += layer.stats()[0]?.[name] ?? 0
      goneOn.push({ key, records: hexRecords(store.native) })
    }
    expect(readByPython(goneOn).map(({ value }) => value)).toEqual(
      cases.map(({ values }) => `${values.at(-1)}2e`),
    )
    expect(stats.deltas).toBeGreaterThan(30)
    expect(stats.bases).toBeGreaterThan(0)
  })
})
