import { someOf } from '@unikv/test-kit/vitest'
import { expect, it } from 'vitest'
import { type Fault, faultAt, faults, leaseMs, opened, Process, type Shared } from './world.ts'

/** More than a transfer takes. */
const mostSteps = 14

type Opened = ReturnType<typeof opened>

/** Move 10 from an account in red to one in blue. */
async function transfer({ db }: Opened, name: string): Promise<string> {
  return db.run(
    async (tx) => {
      const [from, to] = await Promise.all([tx.red.get(name), tx.blue.get(name)])
      await tx.red.set(name, (from as number) - 10)
      await tx.blue.set(name, (to as number) + 10)
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

/** Both accounts of a transfer that met a fault: both have it, or none, now and after all that comes late. */
async function expectWhole(shared: Shared, name: string, fault: Fault, at: number): Promise<boolean> {
  const other = opened(shared)
  const look = async () => [await other.red.get(name), await other.blue.get(name)]
  await other.red.set(name, 100)
  await other.blue.set(name, 0)
  const process = new Process(faultAt(at, fault))
  const told = await endOf(transfer(opened(shared, process), name), process)
  const found = await look()
  expect(found).toEqual(found[0] === 90 ? [90, 10] : [100, 0])
  if (told === 'moved') expect(found[0]).toBe(90)
  for (const arrive of process.late) await arrive()
  const both = await Promise.all([opened(shared), opened(shared)].map(({ db }) => db.recover({ leaseMs })))
  expect(both.flatMap(({ left }) => left)).toEqual([])
  expect(await look()).toEqual(found)
  expect(await transfer(opened(shared), name)).toBe('moved')
  return process.steps >= at
}

/** A transfer with each fault at each of its steps; over servers with the first ones, unless the whole is run. */
export function recovers(open: () => Shared, most = faults.length): void {
  it.each(someOf(most, faults))('with the fault: %s', { timeout: 60_000 }, async (fault) => {
    let steps = 0
    for (let at = 1; at <= mostSteps; at++)
      if (await expectWhole(open(), `${fault} ${at} ${Math.random()}`, fault, at)) steps = at
    expect(steps).toBeGreaterThan(6)
    expect(steps).toBeLessThan(mostSteps)
  })
}
