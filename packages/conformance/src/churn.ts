import type { Fixture } from './fixture.ts'
import { random } from './random.ts'
import { call, isOfSuite, removeAll, setAll } from './verbs.ts'

/** The keys that a listing saw while other keys came and went. */
export interface Churn {
  /** Keys that were there from before the scan until after it. */
  readonly lasting: readonly string[]
  /** Keys that were there at any time. */
  readonly known: ReadonlySet<string>
  /** Keys of all pages, in order. */
  readonly listed: readonly string[]
}

/** Scan in small pages while, during each page and between pages, keys are added, removed and written again. */
export async function listWhileChanging(t: Fixture, seed: number): Promise<Churn> {
  const { below, pick, shuffle } = random(seed)
  const lasting = Array.from({ length: 60 }, (_, i) => `${below(10)} lasting ${i}`)
  let passing = Array.from({ length: 60 }, (_, i) => `${below(10)} passing ${i}`)
  const known = new Set([...lasting, ...passing])
  const put = (keys: readonly string[]) =>
    setAll(
      t.store,
      keys.map((key, i) => [key, t.value(i)]),
    )
  await put(shuffle([...known]))

  const change = async (round: number) => {
    const gone = shuffle(passing).slice(0, 3)
    const fresh = Array.from({ length: 3 }, (_, i) => `${below(10)} fresh ${seed} ${round} ${i}`)
    for (const key of fresh) known.add(key)
    passing = [...passing.filter((key) => !gone.includes(key)), ...fresh]
    await Promise.all([removeAll(t.store, gone), put([...fresh, pick(lasting)])])
  }

  const listed: string[] = []
  let changing = Promise.resolve()
  let rounds = 0
  for await (const { entries } of t.store.scan({ prefix: '', pageSize: 5, values: false }, call())) {
    listed.push(...entries.map(({ key }) => key).filter(isOfSuite))
    await changing
    await change(rounds++)
    // Not awaited here: the store is busy with it while the next page is fetched.
    changing = rounds < 40 ? change(rounds++) : Promise.resolve()
  }
  await changing
  return { lasting, known, listed }
}
