import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Bytes, Store } from '@unikv/core'
import { expect, onTestFinished, test } from 'vitest'
import { noteCounts } from '../note-counts.ts'
import { numberOf, settle } from './lanes.ts'
import { Writer } from './writer.ts'

/** An embedded store whose writers are killed. */
export interface KilledWriters {
  /** Opens the store in this folder. */
  readonly open: (path: string) => Store<Bytes>
  /** Makes a script in this folder that calls `writeLanes`. Resolves to its path. */
  readonly script: (folder: string) => Promise<string>
  /** How many writers are killed, unless `UNIKV_CYCLES` says it. */
  readonly cycles: number
}

const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const lanes = ['a', 'b', 'c', 'd']

/** Declares the test of writers that are killed beside one that is not. */
export function testKilledWriters({ open, script, cycles: few }: KilledWriters): void {
  const cycles = Number(process.env['UNIKV_CYCLES'] ?? few)
  test('writers that are killed lose no acknowledged batch, tear none, and disturb no other writer', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unikv-kill-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const [path, program] = [join(folder, 'data'), await script(folder)]
    const resident = new Writer(program, path, ['r', 's'])
    await resident.tells()
    const store = open(path)
    let acknowledged = 0
    for (let cycle = 1; cycle <= cycles; cycle++) {
      acknowledged += await kill(store, () => new Writer(program, path, lanes), cycle)
    }
    expect(await resident.end()).toBe(0)
    expect(resident.failures).toBe(0)
    for (const lane of ['r', 's']) expect(await numberOf(store, lane)).toBe(resident.acknowledged.get(lane))
    acknowledged += resident.acknowledgements
    await store.close?.()
    noteCounts({ cycles, seed, 'acknowledged batches of 9 records': acknowledged, lost: 0, torn: 0 })
  }, 1_800_000)
}

/** Kills a writer, and looks for what it told. Resolves to how many batches were acknowledged. */
async function kill(store: Store<Bytes>, start: () => Writer, cycle: number): Promise<number> {
  const before = new Map<string, number>()
  for (const lane of lanes) before.set(lane, await numberOf(store, lane))
  const victim = start()
  await victim.tells()
  await pause(delayMs(cycle))
  await victim.kill()
  await settle(store)
  for (const lane of lanes) {
    const atLeast = victim.acknowledged.get(lane) ?? before.get(lane) ?? 0
    const atMost = victim.begun.get(lane) ?? atLeast
    const found = await numberOf(store, lane)
    expect(found, `cycle ${cycle} of seed ${seed}, lane ${lane}`).toBeGreaterThanOrEqual(atLeast)
    expect(found, `cycle ${cycle} of seed ${seed}, lane ${lane}`).toBeLessThanOrEqual(atMost)
  }
  expect(victim.failures).toBe(0)
  return victim.acknowledgements
}

/** From 0 to 60 ms, in an order that the seed decides. */
function delayMs(cycle: number): number {
  return (Math.imul(cycle + seed * 1_000_003, 2_654_435_761) >>> 0) % 61
}
