import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sqlite } from '@unikv/sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from './proofs/bundle.ts'
import { numberOf } from './proofs/lanes.ts'
import { Writer } from './proofs/writers.ts'

const cycles = Number(process.env['UNIKV_CYCLES'] ?? 5)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)

let folder = ''
let script = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-kill-'))
  script = await bundle(new URL('proofs/writer.ts', import.meta.url), folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('writers that are killed lose no acknowledged batch, tear none, and disturb no other writer', async () => {
  const path = join(folder, 'data.db')
  const lanes = ['a', 'b', 'c', 'd']
  const resident = new Writer(script, path, ['r', 's'])
  await resident.tells()
  const store = sqlite({ path })
  let acknowledged = 0
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const before = new Map<string, number>()
    for (const lane of lanes) before.set(lane, await numberOf(store, lane))
    const victim = new Writer(script, path, lanes)
    await victim.tells()
    await pause(delayMs(cycle))
    await victim.kill()
    for (const lane of lanes) {
      const atLeast = victim.acknowledged.get(lane) ?? before.get(lane) ?? 0
      const atMost = victim.begun.get(lane) ?? atLeast
      const found = await numberOf(store, lane)
      expect(found, `cycle ${cycle} of seed ${seed}, lane ${lane}`).toBeGreaterThanOrEqual(atLeast)
      expect(found, `cycle ${cycle} of seed ${seed}, lane ${lane}`).toBeLessThanOrEqual(atMost)
    }
    expect(victim.failures).toBe(0)
    acknowledged += victim.acknowledgements
  }
  expect(await resident.end()).toBe(0)
  expect(resident.failures).toBe(0)
  for (const lane of ['r', 's']) expect(await numberOf(store, lane)).toBe(resident.acknowledged.get(lane))
  acknowledged += resident.acknowledgements
  await store.close()
  console.log(
    `${cycles} cycles, seed ${seed}: ${acknowledged} acknowledged batches of 9 records, 0 lost, 0 torn`,
  )
}, 1_800_000)

/** From 0 to 60 ms, in an order that the seed decides. */
function delayMs(cycle: number): number {
  return (Math.imul(cycle + seed * 1_000_003, 2_654_435_761) >>> 0) % 61
}
