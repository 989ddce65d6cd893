import type { Bytes, KeyValue } from '@unikv/core'
import { keyNames } from '../keys/key-space.ts'
import type { Invalidity } from '../loop/verdict.ts'
import { recordsOf } from '../operations/context.ts'
import type { Workload } from '../operations/workload.ts'
import { withMachine } from '../run/machine.ts'
import { sumOf } from '../statistics/summary.ts'
import type { DriveRequest, Driver, KindSample } from './driver.ts'

/** Share of the reads that may find no record: a store may show an insert a little later. */
const acceptedShare = 0.001
/** Loaded records that are looked for, when too many reads found none. */
const mostLooks = 1_000
const looksACall = 100

/** A driver whose samples are invalid when reads do not find records that nothing has deleted. */
export function checkedForLosses(driver: Driver, keys: KeyValue<string, Bytes>): Driver {
  let mayDelete = false
  return {
    load: (part, hooks) => driver.load(part, hooks),
    connect: async (callers) => driver.connect?.(callers),
    async drive(request, hooks) {
      mayDelete ||= deletes(request.workload)
      const sample = await driver.drive(request, hooks)
      const share = missedShare(sample.kinds)
      if (mayDelete || share <= acceptedShare) return sample
      const lost = await lostOf(keys, request.workload).catch(() => undefined)
      return { ...sample, invalid: [...sample.invalid, invalidity(share, lost)] }
    },
    close: () => driver.close(),
  }
}

/** Operations of a user's module may delete. */
function deletes({ mix, module }: DriveRequest['workload']): boolean {
  return module !== null || (mix['delete'] ?? 0) > 0
}

/** The part of the operations on existing records that found none. */
function missedShare(kinds: readonly Pick<KindSample, 'outcome' | 'service' | 'name'>[]): number {
  const missed = kinds.filter(({ outcome }) => outcome === 'miss')
  const names = new Set(missed.map(({ name }) => name))
  const countOf = (some: typeof kinds): number => sumOf(some, ({ service }) => service.count)
  const all = countOf(kinds.filter(({ name }) => names.has(name)))
  return all === 0 ? 0 : countOf(missed) / all
}

interface Lost {
  readonly lost: number
  readonly looked: number
}

/** How many of the loaded records are not there, by a part of them that is spread evenly. */
async function lostOf(
  keys: KeyValue<string, Bytes>,
  { records, firstRecord, keyNames: names }: Workload,
): Promise<Lost> {
  const keyOf = keyNames(names)
  const kv = recordsOf(keys)
  const looked = Math.min(records, mostLooks)
  const all = Array.from({ length: looked }, (_, index) =>
    keyOf(firstRecord + Math.floor((index * records) / looked)),
  )
  let lost = 0
  for (let at = 0; at < looked; at += looksACall) {
    const found = await kv.getMany(all.slice(at, at + looksACall))
    lost += found.filter((value) => value === undefined).length
  }
  return { lost, looked }
}

function invalidity(share: number, found: Lost | undefined): Invalidity {
  const [reason, missed] = [
    'records-lost',
    `${Number((share * 100).toPrecision(3))} % of the reads found no record`,
  ] as const
  if (found === undefined || found.lost === 0)
    return { reason, message: `${missed}, although the workload deletes nothing` }
  const [lost, looked] = [found.lost, found.looked].map((count) => count.toLocaleString('en-US'))
  return { reason, message: `the store no longer has ${lost} of ${looked} records, and ${missed}` }
}

/** A driver whose samples tell of the work of this machine. */
export function watched(driver: Driver): Driver {
  return {
    connect: async (callers) => driver.connect?.(callers),
    load: (part, hooks) => driver.load(part, hooks),
    drive: (request, hooks) => withMachine(() => driver.drive(request, hooks)),
    close: () => driver.close(),
  }
}
