import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { someOf } from '@unikv/test-kit/vitest'
import { expect, it } from 'vitest'
import { sql, transactional, transactions } from '../../src/index.ts'
import { type Fault, faultAt, faults, Process } from '../world.ts'
import { type Accounts, poolThrough } from './databases.ts'

/** More than a transfer takes. */
const mostSteps = 26
/** Of transactions without an end. */
const leaseMs = 30

/** A store and a log that processes share, beside a database. */
export function world(accounts: Accounts) {
  const [red, log] = [memory(), memory()]
  return (process: Process = new Process()) => {
    const logKv = keyValue(process.through(log), [json()])
    const redKv = keyValue(process.through(red), [json<number>(), transactional({ log: logKv, leaseMs })])
    const shop = sql(poolThrough(accounts.pool, process), { leaseMs })
    const db = transactions({ red: redKv, shop, log: logKv })
    return { red: redKv, db, log: logKv }
  }
}

type World = ReturnType<typeof world>

/** Move 10 from a record to a row. */
export function transfer(
  { read, write }: Accounts,
  { db }: ReturnType<World>,
  name: string,
  timeoutMs = 20_000,
): Promise<string> {
  const work: Parameters<typeof db.run<string>>[0] = async (tx) => {
    const from = (await tx.red.get(name)) as number
    const to = (await read(tx.shop, name)) as number
    await tx.red.set(name, from - 10)
    await write(tx.shop, name, to + 10)
    return 'moved'
  }
  return db.run(work, { timeoutMs })
}

/** A process that ends when all is prepared, and nothing is decided. */
function undecided(): Process {
  const process: Process = new Process(undefined, (mutation) => {
    if (mutation.type !== 'set' || !String(mutation.value).includes('"state":"committed"')) return mutation
    void process.crash()
    throw new Error('The process is gone.')
  })
  return process
}

/** A transfer of a process that leaves all prepared. */
export async function leavePrepared(accounts: Accounts, open: World, name: string): Promise<void> {
  await accounts.write(accounts.pool, name, 0)
  await open().red.set(name, 100)
  const process = undecided()
  await Promise.race([process.gone, transfer(accounts, open(process), name)])
}

/** A transfer with one fault is whole, before and after what comes late. Resolves to whether it met the fault. */
async function expectWhole(accounts: Accounts, fault: Fault, at: number): Promise<boolean> {
  const open = world(accounts)
  const name = `${fault} ${at}`
  const other = open()
  const row = () => accounts.read(accounts.pool, name)
  await other.red.set(name, 100)
  await accounts.write(accounts.pool, name, 0)
  const process = new Process(faultAt(at, fault))
  const told = await Promise.race([
    transfer(accounts, open(process), name, 1000).catch(() => 'failed'),
    process.gone.then(() => 'gone'),
  ])
  // Who was told reads it, in rows too.
  if (told === 'moved') expect([await other.red.get(name), await row()]).toEqual([90, 10])
  const recovered = () => Promise.all([open(), open()].map(({ db }) => db.recover({ leaseMs })))
  expect((await recovered()).flatMap(({ left }) => left)).toEqual([])
  const found = [await other.red.get(name), await row()]
  expect(found).toEqual(found[0] === 90 ? [90, 10] : [100, 0])
  if (told === 'moved') expect(found[0]).toBe(90)
  for (const arrive of process.late) await arrive()
  expect((await recovered()).flatMap(({ left }) => left)).toEqual([])
  expect([await other.red.get(name), await row()]).toEqual(found)
  expect(await accounts.prepared()).toEqual([])
  expect(await transfer(accounts, open(), name)).toBe('moved')
  return process.steps >= at
}

/** A transfer with each fault at each of its steps. */
export function recovers(accounts: () => Accounts, most: number): void {
  it.each(someOf(most, faults))('a transfer with the fault: %s', { timeout: 120_000 }, async (fault) => {
    let steps = 0
    for (let at = 1; at <= mostSteps; at++) if (await expectWhole(accounts(), fault, at)) steps = at
    expect(steps).toBeGreaterThan(8)
    expect(steps).toBeLessThan(mostSteps)
  })
}
