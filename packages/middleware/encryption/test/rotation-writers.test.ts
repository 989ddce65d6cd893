import {
  type Bytes,
  isConditionFailed,
  isStoreError,
  json,
  keyValue,
  type Mutation,
  type Store,
} from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { readHeader } from '../src/envelope/envelope.ts'
import {
  encryption,
  type Keyring,
  type KeyringKeys,
  keyring,
  type ReencryptReport,
  reencrypt,
} from '../src/index.ts'
import { root1, root2, root3 } from './records.ts'
import { dataset } from './stored.ts'

/*
 * Eight holders of a keyring, each with a keyring, a stack and a writer of its own, over one store that answers whenever
 * it likes. While they write and read, keys are rotated from k1 over k2 to k3, holder by holder, and swept.
 */

const rounds = Number(process.env['UNIKV_ROUNDS'] ?? 3)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)
/** However busy the machine is. */
const timeoutMs = 120_000
const holders = 8
const counters = 5
const ownKeys = 12
const roots = { k1: root1, k2: root2, k3: root3 }
type KeyId = keyof typeof roots

test(
  `eight writers and readers see every value through two rotations: ${rounds} rounds from seed ${firstSeed}`,
  async () => {
    const totals = { updates: 0, sets: 0, reads: 0, rewritten: 0, raced: 0 }
    for (let seed = firstSeed; seed < firstSeed + rounds; seed++) await round(seed, totals)
    console.log(`rotation: ${JSON.stringify(totals)}`)
    expect(totals.updates).toBeGreaterThan(rounds * 20)
    expect(totals.rewritten).toBeGreaterThan(rounds * 20)
    if (rounds >= 20) expect(totals.raced, 'writers that were faster than the sweep').toBeGreaterThan(0)
  },
  90_000 + rounds * 10_000,
)

async function round(
  seed: number,
  totals: Record<'updates' | 'sets' | 'reads' | 'rewritten' | 'raced', number>,
) {
  const next = numbers(seed)
  const base = memory()
  const store = unsteady(base, next, totals)
  const crowd = Array.from({ length: holders }, (_, i) => new Holder(i, store, next))
  const old = keyValue(base, [json(), encryption({ dataset, keys: keyring(ringOf('k1', ['k1'])) })])
  await Promise.all(crowd.map((holder) => holder.begin()))
  const work = crowd.map((holder) => holder.work())
  await turns(20)
  for (const [from, to] of [
    ['k1', 'k2'],
    ['k2', 'k3'],
  ] as const) {
    const report = await rotate(crowd, from, to, next)
    totals.rewritten += report.rewritten
    expect(keyIdsIn(base), `seed ${seed}: after the sweep to ${to}`).toEqual(new Set([to]))
    for (const { keys } of crowd) keys.destroy(from)
    await turns(20)
  }
  for (const holder of crowd) holder.stop()
  await Promise.all(work)
  expect(keyIdsIn(base), `seed ${seed}: at the end`).toEqual(new Set(['k3']))
  const [first] = crowd as [Holder]
  const counted = await Promise.all(
    Array.from({ length: counters }, (_, i) => first.users.get(`counter ${i}`)),
  )
  const updates = crowd.reduce((sum, holder) => sum + holder.updates, 0)
  expect(
    counted.reduce((sum: number, value) => sum + (value as number), 0),
    `seed ${seed}: updates`,
  ).toBe(updates)
  for (const holder of crowd) await holder.checkOwn()
  await expect(old.get('counter 0'), `seed ${seed}: an old reader`).rejects.toMatchObject({
    code: 'UNKNOWN_KEY_ID',
  })
  totals.updates += updates
  totals.sets += crowd.reduce((sum, { sets }) => sum + sets, 0)
  totals.reads += crowd.reduce((sum, { reads }) => sum + reads, 0)
}

/** As the README says: add everywhere, make primary everywhere, sweep until nothing is left. */
async function rotate(
  crowd: readonly Holder[],
  from: KeyId,
  to: KeyId,
  next: Numbers,
): Promise<ReencryptReport> {
  for (const { keys } of shuffled(crowd, next)) {
    keys.replace(ringOf(from, [from, to]))
    await turns(next(4))
  }
  for (const { keys } of shuffled(crowd, next)) {
    keys.replace(ringOf(to, [from, to]))
    await turns(next(4))
  }
  // What was sealed before has arrived by then.
  await turns(12)
  const sweeper = crowd[next(holders)] as Holder
  let report = await reencrypt(sweeper.users, { pageSize: 1 + next(20), concurrency: 1 + next(8), timeoutMs })
  const { rewritten } = report
  for (let pass = 0; report.rewritten + report.failed > 0 && pass < 10; pass++)
    report = await reencrypt(sweeper.users, { timeoutMs })
  expect(report).toMatchObject({ rewritten: 0, failed: 0 })
  return { ...report, rewritten }
}

/** One process, as it were. */
class Holder {
  readonly keys: Keyring = keyring(ringOf('k1', ['k1']))
  readonly users
  updates = 0
  sets = 0
  reads = 0
  readonly #i: number
  readonly #next: Numbers
  readonly #own = new Map<string, number>()
  #isOver = false

  constructor(i: number, store: Store<Bytes>, next: Numbers) {
    this.#i = i
    this.#next = next
    this.users = keyValue(store as MemoryStore, [json(), encryption({ dataset, keys: this.keys })], {
      timeoutMs,
    })
  }

  async begin(): Promise<void> {
    for (let i = 0; i < ownKeys; i++) await this.#set(`own ${this.#i} ${i}`)
  }

  async work(): Promise<void> {
    while (!this.#isOver) {
      const what = this.#next(4)
      if (what === 0) await this.#count()
      else if (what === 1) await this.#set(`own ${this.#i} ${this.#next(ownKeys)}`)
      else await this.#read()
    }
  }

  stop(): void {
    this.#isOver = true
  }

  /** Nothing that was acknowledged is gone or older. */
  async checkOwn(): Promise<void> {
    for (const [key, value] of this.#own) expect(await this.users.get(key)).toBe(value)
  }

  async #count(): Promise<void> {
    const key = `counter ${this.#next(counters)}`
    try {
      await this.users.update(key, (value) => ((value as number | undefined) ?? 0) + 1)
      this.updates++
    } catch (error) {
      // Others were faster sixteen times: then nothing was changed, and nothing is counted.
      if (!(isStoreError(error) && error.code === 'CONDITION_FAILED')) throw error
    }
  }

  async #set(key: string): Promise<void> {
    const value = this.sets++
    await this.users.set(key, value)
    this.#own.set(key, value)
    expect(await this.users.get(key)).toBe(value)
  }

  /** Of anybody; every value is there. */
  async #read(): Promise<void> {
    const keys = Array.from(
      { length: 1 + this.#next(5) },
      (_, i) => `own ${(this.#i + i) % holders} ${this.#next(ownKeys)}`,
    )
    for (const value of await this.users.getMany(new Set(keys))) expect(value).toBeTypeOf('number')
    this.reads++
  }
}

function ringOf(primary: KeyId, ids: readonly KeyId[]): KeyringKeys {
  return { primary, keys: Object.fromEntries(ids.map((id) => [id, roots[id]])) }
}

function keyIdsIn(store: MemoryStore): ReadonlySet<string> {
  return new Set(Array.from(store.native.values(), ({ value }) => readHeader(value).keyId))
}

/** A store that takes up to three turns before and after it does anything. */
function unsteady(store: MemoryStore, next: Numbers, totals: { raced: number }): Store<Bytes> {
  const slowly = async <T>(work: () => T | Promise<T>): Promise<T> => {
    await turns(next(4))
    const answer = await work()
    await turns(next(4))
    return answer
  }
  return {
    ...store,
    capabilities: { ...store.capabilities, sync: 'none' },
    read: (reads, call) => slowly(() => store.read(reads, call)),
    write: (mutations, call) =>
      slowly(async () => {
        const results = await store.write(mutations, call)
        // A sweep keeps the version; of those it counts who was faster.
        totals.raced += results.filter(
          (result, i) => isRewrite(mutations[i]) && isConditionFailed(result),
        ).length
        return results
      }),
    async *scan(range, call) {
      for await (const page of store.scan(range, call)) yield await slowly(() => page)
    },
  }
}

function isRewrite(mutation: Mutation<Bytes> | undefined): boolean {
  return mutation?.type === 'set' && mutation.ifVersion === mutation.version
}

type Numbers = (below: number) => number

function numbers(seed: number): Numbers {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function shuffled<T>(items: readonly T[], next: Numbers): readonly T[] {
  const places = items.map((item) => ({ item, place: next(1_000_000) }))
  return places.toSorted((a, b) => a.place - b.place).map(({ item }) => item)
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate)
}
