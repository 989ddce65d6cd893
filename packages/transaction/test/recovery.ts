import { someOf } from '@unikv/test-kit/vitest'
import { expect, it } from 'vitest'
import {
  type Fault,
  faultAt,
  faults,
  leaseMs,
  type Opening,
  opened,
  Process,
  type Shared,
  type Way,
} from './world.ts'

/** More than a transfer takes. */
const mostSteps = 14

/** Move 10 from an account in red to one in blue. */
async function transfer({ db }: Way, name: string): Promise<string> {
  return db.run(
    async (tx) => {
      const [from, to] = await Promise.all([tx.red.get(name), tx.blue.get(name)])
      await tx.red.set(name, ((from as number) - 10) as never)
      await tx.blue.set(name, ((to as number) + 10) as never)
      return 'moved'
    },
    { timeoutMs: 5000 },
  )
}

/** The end of some work, unless it waits for what never comes. */
async function endOf<T>(work: Promise<T>, process: Process): Promise<T | undefined> {
  const stuck = process.gone.then(() => undefined)
  return Promise.race([work.catch(() => undefined), stuck])
}

interface Place {
  readonly shared: Shared
  readonly open: Opening
}

/** Both accounts of a transfer that met a fault: both have it, or none, now and after all that comes late. */
async function expectWhole(
  { shared, open }: Place,
  name: string,
  fault: Fault,
  at: number,
): Promise<boolean> {
  const other = open(shared)
  const look = async () => [await other.red.get(name), await other.blue.get(name)]
  await other.red.set(name, 100 as never)
  await other.blue.set(name, 0 as never)
  const process = new Process(faultAt(at, fault))
  const told = await endOf(transfer(open(shared, process), name), process)
  const found = await look()
  expect(found).toEqual(found[0] === 90 ? [90, 10] : [100, 0])
  if (told === 'moved') expect(found[0]).toBe(90)
  for (const arrive of process.late) await arrive()
  const both = await Promise.all([open(shared), open(shared)].map(({ db }) => db.recover({ leaseMs })))
  expect(both.flatMap(({ left }) => left)).toEqual([])
  expect(await look()).toEqual(found)
  expect(await transfer(open(shared), name)).toBe('moved')
  return process.steps >= at
}

/**
 * A transfer with each fault at each of its steps; over servers with the first ones, unless the whole is run. In one step of a store it has fewer
 * than in two of them.
 */
export function recovers(
  make: () => Shared,
  most: number = faults.length,
  { open = opened, least = 7 }: { readonly open?: Opening; readonly least?: number } = {},
): void {
  it.each(someOf(most, faults))('with the fault: %s', { timeout: 60_000 }, async (fault) => {
    let steps = 0
    for (let at = 1; at <= mostSteps; at++)
      if (await expectWhole({ shared: make(), open }, `${fault} ${at} ${Math.random()}`, fault, at))
        steps = at
    expect(steps).toBeGreaterThanOrEqual(least)
    expect(steps).toBeLessThan(mostSteps)
  })
}
