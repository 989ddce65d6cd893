import type { OwnPlace } from '../own/define-workload.ts'
import { portableRandom } from '../random/random.ts'
import type { Histories, History } from './histories.ts'
import { observation } from './observation.ts'

/** The first observations are of the year before this time. */
const startAt = Date.UTC(2025, 0, 1)
const yearMs = 31_536_000_000
/** Observations that are written by one call. */
const batch = 100
/** Calls at the same time: a store with several nodes has work for each. */
const atOnce = 4

/** The observations that are there from the start: of each patient any number up to `most`, each as likely. */
export async function fill(
  kept: Histories,
  place: OwnPlace,
  { most, seed }: { readonly most: number; readonly seed: number },
): Promise<void> {
  let loads: History[][] = []
  for (const some of inBatches(historiesOf(place, most, seed))) {
    loads.push(some)
    if (loads.length < atOnce) continue
    place.signal.throwIfAborted()
    await Promise.all(loads.map((one) => kept.load(one)))
    loads = []
  }
  await Promise.all(loads.map((one) => kept.load(one)))
}

function* historiesOf(
  { keyOf, records, firstRecord }: OwnPlace,
  most: number,
  seed: number,
): Generator<History> {
  const random = portableRandom(seed)
  for (let i = 0; i < records; i++) {
    const patient = keyOf(firstRecord + i)
    const count = Math.floor(random.next() * (most + 1))
    const some = Array.from({ length: count }, () =>
      observation(random, patient, startAt - Math.floor(random.next() * yearMs)),
    )
    yield [patient, some]
  }
}

function* inBatches(all: Iterable<History>): Generator<History[]> {
  let some: History[] = []
  let count = 0
  for (const history of all) {
    some.push(history)
    count += history[1].length
    if (count < batch) continue
    yield some
    some = []
    count = 0
  }
  if (some.length > 0) yield some
}
